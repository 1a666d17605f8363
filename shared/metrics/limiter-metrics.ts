import type { LimitsReport } from '../contract/reports.ts';
import type { RateLimiterStats } from '../limiter/rate-limiter.ts';
import type { Metrics } from './metrics.ts';

/** What a gateway limits (promises R5, R6). */
export function limiterMetrics(
	metrics: Metrics,
	rate: Readonly<RateLimiterStats>,
	failures: () => LimitsReport['failed_authentication'],
): void {
	metrics.counter('rate_limit_decisions_total', 'Requests with a rate that were let through or refused', () => [
		{ labels: { decision: 'taken' }, value: rate.taken },
		{ labels: { decision: 'refused' }, value: rate.refused },
	]);
	metrics.counter('rate_limit_alone_total', 'Decisions that this gateway made without Redis', () => rate.alone);
	metrics.gauge('rate_limit_degraded', '1 while this gateway limits rates on its own', () => Number(rate.degraded));
	metrics.counter('failed_authentications_refused_total', '429 in place of 401: an address failed too often', () => {
		return failures().refused;
	});
	metrics.gauge('failed_authentication_networks', 'Networks with failed authentications within the last minute', () => {
		return failures().networks;
	});
}
