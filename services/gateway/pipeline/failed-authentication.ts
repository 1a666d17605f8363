import type { IncomingMessage } from 'node:http';
import type { Clock } from '../../../shared/clock.ts';
import { ApiError } from '../../../shared/errors.ts';
import { LocalBuckets } from '../../../shared/limiter/local-buckets.ts';
import { bucketOf } from '../../../shared/limiter/rate-limiter.ts';
import type { LimitsReport } from '../../../shared/ops/reports.ts';
import { type ClientAddress, networkOf } from './client-address.ts';

/** Failures a minute that an address has; as many at once (contract §5) */
const A_MINUTE = 100;

/**
 * Limits failed authentication per address. A key that is good is never counted and never refused: whoever shares an
 * address with an attacker is served.
 *
 * Each gateway counts on its own, in its memory. A key whose checksum is wrong must cost no call to Redis (musts A1), and
 * nobody guesses 30 random characters, at 100 a minute or at 100 a minute and gateway: what is limited is the noise in
 * logs and the load of look-ups that one address can make on a gateway.
 */
export class FailedAuthentication {
	readonly #buckets: LocalBuckets;
	readonly #addresses: ClientAddress;
	#refused = 0;

	constructor(addresses: ClientAddress, clock: Clock) {
		this.#addresses = addresses;
		this.#buckets = new LocalBuckets(clock);
	}

	/** Answers 429 instead of 401 since the start, and networks that failed within the last minute. */
	get stats(): LimitsReport['failed_authentication'] {
		return { refused: this.#refused, networks: this.#buckets.size };
	}

	/**
	 * @param error why authentication failed
	 * @returns what to answer: `error`, or plan_limit_exceeded where it is a 401 too many
	 */
	judge(error: unknown, request: IncomingMessage): unknown {
		if (!(error instanceof ApiError) || error.status !== 401) return error;
		const network = networkOf(this.#addresses.of(request));
		const [level] = this.#buckets.take([bucketOf(network, 'failures', A_MINUTE / 60, A_MINUTE)], 1);
		if (level!.wait === 0) return error;
		this.#refused++;
		return new ApiError('plan_limit_exceeded', 'too many failed authentications', Math.ceil(level!.wait / 1000));
	}
}
