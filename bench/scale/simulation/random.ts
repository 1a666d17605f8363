/** Random numbers that a seed repeats (mulberry32). */
export class Random {
	#state: number;

	constructor(seed: number) {
		this.#state = seed >>> 0;
	}

	/** From 0, below 1 */
	next(): number {
		this.#state = (this.#state + 0x6d2b79f5) >>> 0;
		let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
		mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
	}

	/** From 0, below `limit` */
	integer(limit: number): number {
		return Math.floor(this.next() * limit);
	}

	exponential(mean: number): number {
		return -mean * Math.log(1 - this.next());
	}
}

/** Spreads keys evenly, as a hash does: the finaliser of MurmurHash3 over two numbers. */
export function hash(...parts: number[]): number {
	let mixed = 0x9e3779b9;
	for (const part of parts) {
		mixed = Math.imul(mixed ^ part, 0x85ebca6b);
		mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
		mixed ^= mixed >>> 16;
	}
	return mixed >>> 0;
}

/** Ranks from 1 to `n` by Zipf's law with exponent 1: the first thousand exactly, those behind them by its integral. */
export function zipf(n: number): (random: Random) => number {
	const head = Math.min(n, 1_000);
	const sums: number[] = [];
	for (let rank = 1; rank <= head; rank++) sums.push((sums.at(-1) ?? 0) + 1 / rank);
	const tail = Math.log((n + 0.5) / (head + 0.5));
	return (random) => {
		const at = random.next() * (sums.at(-1)! + tail);
		if (at >= sums.at(-1)!)
			return Math.min(n, Math.max(head + 1, Math.round((head + 0.5) * Math.exp(at - sums.at(-1)!))));
		let [low, high] = [0, head - 1];
		while (low < high) {
			const middle = (low + high) >> 1;
			if (sums[middle]! > at) high = middle;
			else low = middle + 1;
		}
		return low + 1;
	};
}
