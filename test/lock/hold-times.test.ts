import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { HoldTimes } from '../../shared/lock/hold-times.ts';

function observed(times: number[]): HoldTimes {
	const held = new HoldTimes();
	for (const ms of times) held.observe(ms);
	return held;
}

describe('how long leases were held', () => {
	test('When nothing was observed, then all is 0', () => {
		expect(new HoldTimes().report()).toEqual({ count: 0, p50: 0, p99: 0, max: 0 });
	});

	test('L5: Whatever was observed, then a quantile is never less than the true one, nor more than the longest', () => {
		const times = fc.array(fc.double({ min: 0, max: 20_000, noNaN: true }), { minLength: 1, maxLength: 300 });
		const property = fc.property(times, fc.double({ min: 0.01, max: 1, noNaN: true }), (all, part) => {
			const held = observed(all);
			const sorted = [...all].sort((a, b) => a - b);
			const exact = sorted[Math.ceil(part * all.length) - 1]!;
			expect(held.quantile(part)).toBeGreaterThanOrEqual(exact);
			expect(held.quantile(part)).toBeLessThanOrEqual(sorted.at(-1)!);
		});
		fc.assert(property);
	});

	test('When it is read as buckets, then each counts those before it, and the last one all', () => {
		const buckets = observed([0.4, 1, 3, 70, 30_000]).buckets();
		const upTo = (le: number) => buckets.find((bucket) => bucket.le === le)?.count;
		expect([upTo(0.001), upTo(0.005), upTo(0.1), upTo(10), upTo(Number.POSITIVE_INFINITY)]).toEqual([2, 3, 4, 4, 5]);
		expect(buckets).toHaveLength(14);
	});
});
