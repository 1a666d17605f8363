/** What a histogram of Prometheus is read from. */
export interface Distribution {
	readonly count: number;
	/** In seconds */
	readonly sum: number;
	/** How many were at most `le` seconds; the last one, of all, has no bound. */
	buckets(): { le: number; count: number }[];
}

/** Upper bounds in seconds, for what takes from a tenth of a millisecond to the longest that a request may take */
export const LATENCIES = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;

/** Durations, counted in buckets. One more costs some 20 ns: a loop over a few numbers. */
export class Durations implements Distribution {
	readonly #bounds: readonly number[];
	readonly #counts: number[];
	#count = 0;
	#sum = 0;

	/** @param bounds of the buckets in seconds, ascending */
	constructor(bounds: readonly number[] = LATENCIES) {
		this.#bounds = bounds;
		this.#counts = new Array(bounds.length + 1).fill(0);
	}

	get count(): number {
		return this.#count;
	}

	get sum(): number {
		return this.#sum / 1000;
	}

	observe(ms: number): void {
		let at = 0;
		while (at < this.#bounds.length && ms > this.#bounds[at]! * 1000) at++;
		this.#counts[at]!++;
		this.#count++;
		this.#sum += ms;
	}

	buckets(): { le: number; count: number }[] {
		let count = 0;
		return [...this.#bounds, Number.POSITIVE_INFINITY].map((le, index) => {
			count += this.#counts[index]!;
			return { le, count };
		});
	}
}
