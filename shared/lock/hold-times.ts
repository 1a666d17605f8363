import type { HoldReport } from '../contract/reports.ts';

/** Upper bounds of the buckets in ms; what was held for longer is in a last one without a bound. */
const BOUNDS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000];

/**
 * For how long leases were held, from being granted to being given back: the critical section (promise L5). A histogram
 * since the start of the process, of constant size, with buckets as Prometheus takes them.
 */
export class HoldTimes {
	readonly #counts: number[] = new Array(BOUNDS.length + 1).fill(0);
	#count = 0;
	#sum = 0;
	#max = 0;

	get count(): number {
		return this.#count;
	}

	/** ms */
	get sum(): number {
		return this.#sum;
	}

	/** ms; 0 before the first */
	get max(): number {
		return this.#max;
	}

	/** @param ms that a lease was held */
	observe(ms: number): void {
		const at = BOUNDS.findIndex((bound) => ms <= bound);
		this.#counts[at === -1 ? BOUNDS.length : at]!++;
		this.#count++;
		this.#sum += ms;
		this.#max = Math.max(this.#max, ms);
	}

	/**
	 * No more than `part` of all were held for longer: the upper bound of the bucket, so never less than the true value.
	 * @param part 0 to 1
	 * @returns ms; 0 before the first
	 */
	quantile(part: number): number {
		const rank = Math.ceil(part * this.#count);
		let count = 0;
		for (const [index, bound] of BOUNDS.entries()) {
			count += this.#counts[index]!;
			if (count >= rank) return Math.min(bound, this.#max);
		}
		return this.#max;
	}

	/** How many were held for at most `le` ms; the last one, of all, has no bound. */
	buckets(): { le: number; count: number }[] {
		let count = 0;
		return [...BOUNDS, Number.POSITIVE_INFINITY].map((le, index) => {
			count += this.#counts[index]!;
			return { le, count };
		});
	}

	report(): HoldReport {
		const [p50, p99, max] = [this.quantile(0.5), this.quantile(0.99), this.#max].map((ms) => Math.round(ms * 10) / 10);
		return { count: this.#count, p50: p50!, p99: p99!, max: max! };
	}
}
