import { type AccountKey, accountKey } from '../../../shared/contract/account-key.ts';
import { withoutDeadline } from '../../../shared/work/deadline.ts';

interface Waiting<Item, Answer> {
	item: Item;
	resolve(answer: Answer): void;
	reject(error: unknown): void;
}

/**
 * Calls for one account are served one batch at a time: what arrives in the same moment, or while a batch is under way, is
 * the next batch. So the cost of a busy account follows the store's speed, not the number of callers.
 *
 * @param serve answers the items of a batch, in their order; where it throws, every call of the batch does. It runs without
 *   a deadline: each item may have one of its own.
 */
export function gathered<Item, Answer>(
	serve: (account_id: string, items: Item[]) => Promise<Answer[]>,
): (account_id: string, item: Item) => Promise<Answer> {
	const queues = new Map<AccountKey, Waiting<Item, Answer>[]>();

	async function serveAll(account_id: string, queue: Waiting<Item, Answer>[]): Promise<void> {
		while (queue.length > 0) {
			const batch = queue.splice(0);
			try {
				const answers = await serve(
					account_id,
					batch.map(({ item }) => item),
				);
				for (const [index, { resolve }] of batch.entries()) resolve(answers[index]!);
			} catch (error) {
				for (const { reject } of batch) reject(error);
			}
		}
		queues.delete(accountKey({ account_id }));
	}

	return (account_id, item) =>
		new Promise((resolve, reject) => {
			const call = { item, resolve, reject };
			const key = accountKey({ account_id });
			const queue = queues.get(key);
			if (queue) {
				queue.push(call);
				return;
			}
			const begun = [call];
			queues.set(key, begun);
			setImmediate(() => void withoutDeadline(() => serveAll(account_id, begun))); // all messages that have arrived were read
		});
}
