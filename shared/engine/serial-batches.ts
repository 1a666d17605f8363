import type { AccountKey } from '../contract/actions/common.ts';
import { withoutDeadline } from '../work/deadline.ts';

interface Waiting<Item, Answer> {
	item: Item;
	resolve(answer: Answer): void;
	reject(error: unknown): void;
}

/**
 * One batch at a time: what is asked for before the first one leaves, or while one is under way, is the next. So the cost
 * of a busy thing follows the store's speed, not the number of callers.
 */
export class SerialBatches<Item, Answer> {
	readonly #serve: (items: Item[]) => Promise<Answer[]>;
	readonly #begin: (work: () => void) => void;
	#waiting: Waiting<Item, Answer>[] = [];
	#serving = false;

	/**
	 * @param serve answers a batch's items in their order; a rejection is every item's. It runs without a deadline: each item
	 *   may have one of its own.
	 * @param begin when the first batch leaves; by default when all messages that have arrived were read
	 */
	constructor(serve: (items: Item[]) => Promise<Answer[]>, begin: (work: () => void) => void = setImmediate) {
		this.#serve = serve;
		this.#begin = begin;
	}

	/** Nothing waits, and nothing is under way. */
	get isIdle(): boolean {
		return !this.#serving;
	}

	ask(item: Item): Promise<Answer> {
		return new Promise((resolve, reject) => {
			this.#waiting.push({ item, resolve, reject });
			if (this.#serving) return;
			this.#serving = true;
			this.#begin(() => void withoutDeadline(() => this.#serveAll()));
		});
	}

	async #serveAll(): Promise<void> {
		while (this.#waiting.length > 0) {
			const batch = this.#waiting.splice(0);
			try {
				const answers = await this.#serve(batch.map(({ item }) => item));
				for (const [index, { resolve }] of batch.entries()) resolve(answers[index]!);
			} catch (error) {
				for (const { reject } of batch) reject(error);
			}
		}
		this.#serving = false;
	}
}

/** The same for each key; different keys do not wait for each other. */
export class SerialBatchesByKey<Item, Answer> {
	readonly #serve: (items: Item[]) => Promise<Answer[]>;
	readonly #begin: ((work: () => void) => void) | undefined;
	readonly #batches = new Map<AccountKey, SerialBatches<Item, Answer>>();

	/** As above; all items of a batch were asked for under one key. */
	constructor(serve: (items: Item[]) => Promise<Answer[]>, begin?: (work: () => void) => void) {
		this.#serve = serve;
		this.#begin = begin;
	}

	ask(key: AccountKey, item: Item): Promise<Answer> {
		let batches = this.#batches.get(key);
		if (batches === undefined) {
			batches = new SerialBatches(this.#serve, this.#begin);
			this.#batches.set(key, batches);
		}
		const forget = () => {
			if (batches.isIdle && this.#batches.get(key) === batches) this.#batches.delete(key);
		};
		const answer = batches.ask(item);
		answer.then(forget, forget);
		return answer;
	}
}
