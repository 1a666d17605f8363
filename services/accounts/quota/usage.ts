import { type Caller, call } from '../../../shared/bus/call.ts';
import { boundsOf, monthOf } from '../../../shared/calendar/plain-date.ts';
import type { Params, Result } from '../../../shared/contract/actions.ts';
import type { AccountUsage } from '../../../shared/contract/schemas/usage.ts';
import { type Clock, timestamp } from '../../../shared/engine/clock.ts';
import type { AccountsStore } from '../accounts-store.ts';
import { type UsageKey, type UsageStore, usageKey } from './usage-store.ts';

type Counted = UsageKey & { requests: number };

/**
 * Adds what a gateway counted since its last report. A report that is repeated because its answer was lost counts once,
 * for a row remembers the last reports. One that is repeated after many others counts twice, rather than not at all: that
 * is at most what one gateway counted in one interval.
 * @returns the totals of the months that were reported, all gateways' reports included
 */
export async function recordRequests(
	{ usage }: AccountsStore,
	{ report, counts }: Params<'accounts.recordRequests'>,
): Promise<Result<'accounts.recordRequests'>> {
	const counted = counts.map(({ account_id, month, requests }) => ({ ...usageKey(account_id, month), requests }));
	if ((await add(usage, report, counted)) < counted.length) {
		// Rows are missing, or were a moment ago. Those that have the report already refuse it now.
		const there = await usage.requestsOf(counted);
		const missing = counted.filter(({ _id }) => !there.has(_id));
		await usage.add(missing.map(({ _id, account_id }) => ({ _id, account_id })));
		await add(usage, report, counted);
	}
	const totals = await usage.requestsOf(counted);
	return counted.map(({ _id }, at) => ({ ...counts[at]!, requests: totals.get(_id)! }));
}

/** Rows that grow by the same number share a write. @returns how many rows took the report */
async function add(usage: UsageStore, report: string, counted: Counted[]): Promise<number> {
	const byNumber = Map.groupBy(counted, ({ requests }) => requests);
	const writes = [...byNumber].map(([requests, rows]) => usage.addRequests(rows, requests, report));
	return (await Promise.all(writes)).reduce((sum, taken) => sum + taken, 0);
}

/** ms; what was used in less time than this says little about a month */
const TOO_EARLY = 86_400_000;

/**
 * What an account used of its plan, as the plan is now. Services are always those of now.
 * @param month the current one where it is left out
 * @returns null where there is no such account
 */
export async function showUsage(
	store: AccountsStore,
	clock: Clock,
	caller: Caller,
	{ account_id, month = monthOf(clock.now()) }: Params<'accounts.usage'>,
): Promise<AccountUsage | null> {
	const account = await store.account(account_id);
	if (!account) return null;
	const [plan, row, services] = await Promise.all([
		store.plan(account),
		store.usage.find(usageKey(account_id, month)),
		call(caller, 'catalog.countServices', { account_id }),
	]);
	const bounds = boundsOf(month);
	const time = { now: clock.now(), from: Math.max(bounds.start, Date.parse(account.created_at)), to: bounds.end };
	const monthly = (used: number, limit: number | null) => ({
		...against(used, limit),
		overage: plan.overages_enabled && limit !== null ? Math.max(0, used - limit) : 0,
		projected: projection(used, time),
	});
	return {
		month,
		resets_at: timestamp(bounds.end),
		package: plan.name,
		overages_enabled: plan.overages_enabled,
		requests: monthly(row?.requests ?? 0, plan.requests_per_month),
		bookings: monthly(row?.bookings ?? 0, plan.bookings_per_month),
		services: against(services, plan.services_limit),
	};
}

function against(used: number, limit: number | null) {
	return { used, limit, remaining: limit === null ? null : Math.max(0, limit - used) };
}

/** The use until `to` if it goes on as it went from `from` until now; what was used, where that time is over. */
function projection(used: number, { now, from, to }: { now: number; from: number; to: number }): number | null {
	if (now >= to) return used;
	if (now - from < TOO_EARLY) return null;
	return Math.round((used / (now - from)) * (to - from));
}
