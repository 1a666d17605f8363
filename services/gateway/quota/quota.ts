import { monthOf, secondsLeftOfMonth } from '../../../shared/calendar/plain-date.ts';
import { type AccountKey, accountKey } from '../../../shared/contract/actions/common.ts';
import type { Principal, RequestCount } from '../../../shared/contract/actions.ts';
import { ApiError } from '../../../shared/contract/errors.ts';
import type { Clock } from '../../../shared/engine/clock.ts';

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
	 * @throws rate_limit_exceeded with the seconds that are left of the month, and whatever `letThrough` throws
	 */
	async count<T>(principal: Principal, letThrough: () => Promise<T>): Promise<T> {
		const now = this.#clock.now();
		const count = this.#counts.of(principal.account_id, monthOf(now));
		const { limit } = principal.quota;
		if (limit !== null && usedOf(count, principal) >= limit) {
			throw new ApiError('rate_limit_exceeded', TEXT, secondsLeftOfMonth(now));
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

/** Accounts of one report */
const MAX_REPORT = 500;
/**
 * ms for which what was answered about an account is kept after its last request: longer than a principal is believed,
 * or its older figure would take the newer one's place.
 */
const KEPT_FOR = 75_000;

/** One account's requests of one month, as this gateway knows them. */
export interface Count {
	readonly account_id: string;
	readonly month: string;
	/** Waiting to be let through */
	held: number;
	/** Let through and not yet reported */
	unreported: number;
	/** In a report that is not yet answered */
	leaving: number;
	/** The total of all gateways' reports, as last answered */
	recorded: number;
	/** Monotonic ms */
	touched: number;
}

/** Counts the requests of each account and UTC month until they are recorded. */
export class RequestCounts {
	/** By month, then account: a key of both would be made, and hashed, for each request */
	readonly #months = new Map<string, Map<AccountKey, Count>>();
	readonly #clock: Clock;

	constructor(clock: Clock) {
		this.#clock = clock;
	}

	of(account_id: string, month: string): Count {
		let counts = this.#months.get(month);
		if (counts === undefined) {
			counts = new Map();
			this.#months.set(month, counts);
		}
		const key = accountKey({ account_id });
		let count = counts.get(key);
		if (count === undefined) {
			count = { account_id, month, held: 0, unreported: 0, leaving: 0, recorded: 0, touched: 0 };
			counts.set(key, count);
		}
		count.touched = this.#clock.monotonic();
		return count;
	}

	/** Takes all that was counted since the last time, in reports of at most 500 accounts. */
	leave(): RequestCount[][] {
		const reports: RequestCount[][] = [];
		for (const count of this.#months.values().flatMap((counts) => counts.values())) {
			if (count.unreported === 0) continue;
			if (reports.length === 0 || reports.at(-1)!.length === MAX_REPORT) reports.push([]);
			reports.at(-1)!.push({ account_id: count.account_id, month: count.month, requests: count.unreported });
			count.leaving = count.unreported;
			count.unreported = 0;
		}
		return reports;
	}

	/** A report was answered with the totals of its months. */
	recorded(totals: RequestCount[]): void {
		for (const { account_id, month, requests } of totals) {
			const count = this.of(account_id, month);
			count.leaving = 0;
			count.recorded = Math.max(count.recorded, requests);
		}
	}

	/** Forgets what has been idle for so long that every principal knows it. */
	forgetIdle(): void {
		const before = this.#clock.monotonic() - KEPT_FOR;
		for (const [month, counts] of this.#months) {
			for (const [key, { held, unreported, leaving, touched }] of counts) {
				if (held + unreported + leaving === 0 && touched < before) counts.delete(key);
			}
			if (counts.size === 0) this.#months.delete(month);
		}
	}
}

/**
 * The least that an account has used of a month: what was answered last and what this gateway has added since, or what
 * the key's look-up told, which may know later reports of others but none of what is not yet reported. So it never
 * refuses too early; what other gateways let through since their last report is missing.
 */
function usedOf({ held, unreported, leaving, recorded, month }: Count, { quota }: Principal): number {
	const known = quota.month === month ? quota.requests : 0;
	return Math.max(recorded + leaving, known) + unreported + held;
}
