import { hash } from './random.ts';

/** Accounts whose ranges are placed one by one, the largest first; the many small ones come to lie anywhere */
const LARGE = 1_000;

/**
 * Which shard has which range of a key that begins with the account. A large account is split into ranges, each with at most
 * half of what a shard has on average; each range goes to the shard that has the least so far, as an operator would have it.
 */
export class Ranges {
	readonly #shards: number;
	readonly #placed = new Map<number, number[]>();

	/** @param shareOf of all load, of the n-th largest account @param splits whether the key has more than the account */
	constructor(shards: number, shareOf: (account: number) => number, splits: boolean) {
		this.#shards = shards;
		const loads = new Float64Array(shards);
		for (let account = 1; account <= LARGE; account++) {
			const share = shareOf(account);
			const parts = splits ? Math.ceil(2 * shards * share) : 1;
			const placed = Array.from({ length: parts }, () => {
				const least = loads.indexOf(Math.min(...loads));
				loads[least]! += share / parts;
				return least;
			});
			this.#placed.set(account, placed);
		}
	}

	/** @param position of the booking within its account, from 0 and below 1 */
	shardOf(account: number, position: number): number {
		const placed = this.#placed.get(account);
		return placed === undefined ? hash(account) % this.#shards : placed[Math.floor(position * placed.length)]!;
	}
}
