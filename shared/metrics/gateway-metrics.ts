import type { LimitsReport } from '../contract/reports.ts';
import type { RateLimiterStats } from '../limiter/bucket.ts';
import { CountsBy, DurationsBy } from './by-labels.ts';
import type { Metrics } from './metrics.ts';

/** Of a request that belongs to no operation: a page such as /docs, an unknown path, a preflight */
const NO_OPERATION = 'none';

/** The requests of a gateway. */
export class RequestMetrics {
	readonly #counts = new CountsBy('operation', 'status');
	readonly #durations = new DurationsBy('operation', 'class');

	/** @param inFlight how many are being answered */
	constructor(metrics: Metrics, inFlight: () => number) {
		metrics.counter('requests_total', 'Requests answered; 499: the client left before', () => this.#counts.samples());
		metrics.histogram('request_duration_seconds', 'From the headers of a request to the end of its answer', () =>
			this.#durations.series(),
		);
		metrics.gauge('requests_in_flight', 'Requests that are being answered', inFlight);
	}

	/** Before any request. To Prometheus a series that begins with 1 has not increased: the first bug would go unseen. */
	expect(operation: string): void {
		this.#counts.add(operation, 500, 0);
	}

	/** @param ms from its headers to the end of its answer */
	observe(operation: string | undefined, status: number, ms: number): void {
		this.#counts.add(operation ?? NO_OPERATION, status);
		this.#durations.of(operation ?? NO_OPERATION, `${Math.floor(status / 100)}xx`).observe(ms);
	}
}

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
