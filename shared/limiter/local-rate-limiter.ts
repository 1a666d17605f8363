import type { Clock } from '../engine/clock.ts';
import type { Bucket, Level } from './bucket.ts';
import { newStats } from './limiter-stats.ts';
import { LocalBuckets } from './local-buckets.ts';
import type { RateLimiter } from './rate-limiter.ts';

/** The limiter of a single process: same rule, no Redis. */
export function localRateLimiter(clock: Clock): RateLimiter {
	const buckets = new LocalBuckets(clock);
	const stats = newStats();
	return {
		stats,
		async take(from: readonly Bucket[]): Promise<Level[]> {
			const levels = buckets.take(from, 1);
			stats[levels.every(({ wait }) => wait === 0) ? 'taken' : 'refused']++;
			return levels;
		},
		async look(at: readonly Bucket[]): Promise<Level[]> {
			return buckets.take(at, 0);
		},
		async charge(bucket: Bucket, tokens: number): Promise<void> {
			buckets.charge(bucket, tokens);
		},
		close() {},
	};
}
