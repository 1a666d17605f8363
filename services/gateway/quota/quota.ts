import { boundsOf, monthOf } from '../../../shared/calendar/month.ts';
import type { Principal } from '../../../shared/contract/actions.ts';
import { ApiError } from '../../../shared/contract/errors.ts';
import type { Clock } from '../../../shared/engine/clock.ts';
import { type RequestCounts, usedOf } from './quota-counts.ts';

const TEXT = 'the monthly requests of your plan are used up';

/**
 * The requests a month of a plan (contract §7). Several gateways learn of each other's requests with their reports, so
 * together they may let through what they serve in about a second beyond the limit; one alone is exact.
 */
export class Quota {
	readonly #counts: RequestCounts;
	readonly #clock: Clock;

	constructor(counts: RequestCounts, clock: Clock) {
		this.#counts = counts;
		this.#clock = clock;
	}

	/**
	 * Counts a request where the next step lets it through: a request that the rate limit refuses costs nothing, neither
	 * a token nor quota (promise R4). It holds its place in the quota meanwhile.
	 * @param letThrough is not asked where the month is used up
	 * @throws plan_limit_exceeded with the seconds that are left of the month, and whatever `letThrough` throws
	 */
	async count<T>(principal: Principal, letThrough: () => Promise<T>): Promise<T> {
		const now = this.#clock.now();
		const count = this.#counts.of(principal.account_id, monthOf(now));
		const { limit } = principal.quota;
		if (limit !== null && usedOf(count, principal) >= limit) {
			const left = Math.ceil((boundsOf(count.month).end - now) / 1000);
			throw new ApiError('plan_limit_exceeded', TEXT, left);
		}
		count.held++;
		try {
			const result = await letThrough();
			count.unreported++;
			return result;
		} finally {
			count.held--;
		}
	}
}
