import type { Config } from '../config/config.ts';
import type { Clock } from '../engine/clock.ts';
import type { Logger } from '../log/log.ts';
import { localRateLimiter, type RateLimiter, redisRateLimiter } from './rate-limiter.ts';

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
