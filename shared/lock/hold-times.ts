import type { HoldReport } from '../contract/reports.ts';
import { Durations } from '../engine/durations.ts';

/** Seconds */
const BOUNDS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10];

/** For how long leases were held, from being granted to being given back: a lease lasts ten times the p99 of it (promise L5). */
export class HoldTimes extends Durations {
	#max = 0;

	constructor() {
		super(BOUNDS);
	}

	/** @param ms that a lease was held */
	override observe(ms: number): void {
		super.observe(ms);
		this.#max = Math.max(this.#max, ms);
	}

	/**
	 * No more than `part` of all were held for longer: the upper bound of the bucket, so never less than the true value.
	 * @param part 0 to 1
	 * @returns ms; 0 before the first
	 */
	quantile(part: number): number {
		const rank = Math.ceil(part * this.count);
		const { le } = this.buckets().find(({ count }) => count >= rank)!;
		return Math.min(le * 1000, this.#max);
	}

	report(): HoldReport {
		const [p50, p99, max] = [this.quantile(0.5), this.quantile(0.99), this.#max].map((ms) => Math.round(ms * 10) / 10);
		return { count: this.count, p50: p50!, p99: p99!, max: max! };
	}
}
