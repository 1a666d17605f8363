/**
 * Random numbers that a seed decides (splitmix32). The same seed gives the same numbers, everywhere.
 */
export class Random {
	#state: number;

	/** @param seed any integer; its lower 32 bits count */
	constructor(seed: number) {
		this.#state = seed | 0;
	}

	/** From 0 to 1, 1 excluded. */
	next(): number {
		this.#state = (this.#state + 0x9e3779b9) | 0;
		let mixed = this.#state ^ (this.#state >>> 16);
		mixed = Math.imul(mixed, 0x21f0aaad);
		mixed ^= mixed >>> 15;
		mixed = Math.imul(mixed, 0x735a2d97);
		return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
	}

	/** Integer from 0 to `limit` - 1. */
	index(limit: number): number {
		return Math.floor(this.next() * limit);
	}

	/** Integer from `low` to `high`, both included. */
	between(low: number, high: number): number {
		return low + this.index(high - low + 1);
	}

	chance(probability: number): boolean {
		return this.next() < probability;
	}

	pick<T>(values: readonly T[]): T {
		return values[this.index(values.length)]!;
	}

	/** One of the keys, each as likely as its weight says. */
	weighted<T extends string>(weights: Readonly<Record<T, number>>): T {
		const entries = Object.entries(weights) as [T, number][];
		let left = this.next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
		for (const [name, weight] of entries) {
			left -= weight;
			if (left < 0) return name;
		}
		return entries.at(-1)![0];
	}

	/** The values in a random order. */
	shuffled<T>(values: readonly T[]): T[] {
		const copy = [...values];
		for (let at = copy.length - 1; at > 0; at--) {
			const other = this.index(at + 1);
			[copy[at], copy[other]] = [copy[other]!, copy[at]!];
		}
		return copy;
	}

	/** Numbers of their own for a part of the whole, so that the parts do not disturb each other. */
	fork(part: number): Random {
		return new Random(Math.imul(this.#state ^ Math.imul(part + 1, 0x85ebca6b), 0xc2b2ae35));
	}
}

/** A seed that nobody chose, 0 to 2^31 - 1. */
export function anySeed(): number {
	return Math.floor(Math.random() * 2 ** 31);
}
