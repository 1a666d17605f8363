import type { Config } from '../config/config.ts';
import type { Clock } from '../engine/clock.ts';
import type { Logger } from '../log/log.ts';
import { type Bucket, type Level, newStats, type RateLimiter } from './bucket.ts';
import { LocalBuckets } from './local-buckets.ts';
import { redisRateLimiter } from './redis-rate-limiter.ts';

/** The limiter of this installation's form. Requests go on without Redis; an operator should know that limits are looser. */
export function openRateLimiter(config: Config, clock: Clock, logger: Logger): RateLimiter {
	if (config.form === 'embedded') return localRateLimiter(clock);
	return redisRateLimiter({
		url: config.redisUrl,
		namespace: config.namespace,
		clock,
		onDegraded: (reason) => logger.warn({ reason }, 'Redis is away: this gateway limits rates on its own'),
		onRestored: () => logger.info('Redis is back: rates are limited over all gateways again'),
	});
}

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
