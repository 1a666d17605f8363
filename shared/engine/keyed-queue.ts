import type { AccountKey } from '../contract/account-key.ts';

/** Runs what is queued under one key one after another, in order of arrival; different keys do not wait. */
export class KeyedQueue {
	readonly #tails = new Map<AccountKey, Promise<unknown>>();

	run<T>(key: AccountKey, work: () => Promise<T>): Promise<T> {
		const before = this.#tails.get(key);
		const result = before === undefined ? work() : before.then(work, work);
		this.#tails.set(key, result);
		const forget = () => {
			if (this.#tails.get(key) === result) this.#tails.delete(key);
		};
		result.then(forget, forget);
		return result;
	}
}
