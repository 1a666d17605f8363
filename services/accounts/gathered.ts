interface Waiting<Item, Answer> {
	item: Item;
	resolve(answer: Answer): void;
	reject(error: unknown): void;
}

/**
 * Calls for one key are served one batch at a time: what arrives in the same moment, or while a batch is under way, is
 * the next batch. So the cost of a hot key follows the store's speed, not the number of callers.
 *
 * @param serve answers the items of a batch, in their order; where it throws, every call of the batch does
 */
export function gathered<Item, Answer>(
	serve: (key: string, items: Item[]) => Promise<Answer[]>,
): (key: string, item: Item) => Promise<Answer> {
	const queues = new Map<string, Waiting<Item, Answer>[]>();

	async function serveAll(key: string, queue: Waiting<Item, Answer>[]): Promise<void> {
		while (queue.length > 0) {
			const batch = queue.splice(0);
			try {
				const answers = await serve(
					key,
					batch.map(({ item }) => item),
				);
				for (const [index, { resolve }] of batch.entries()) resolve(answers[index]!);
			} catch (error) {
				for (const { reject } of batch) reject(error);
			}
		}
		queues.delete(key);
	}

	return (key, item) =>
		new Promise((resolve, reject) => {
			const call = { item, resolve, reject };
			const queue = queues.get(key);
			if (queue) {
				queue.push(call);
				return;
			}
			const begun = [call];
			queues.set(key, begun);
			setImmediate(() => void serveAll(key, begun)); // after all messages that have arrived were read
		});
}
