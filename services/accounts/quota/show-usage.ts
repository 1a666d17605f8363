import { type Caller, call } from '../../../shared/bus/call.ts';
import { boundsOf, monthOf } from '../../../shared/calendar/plain-date.ts';
import type { Params } from '../../../shared/contract/actions.ts';
import type { Usage } from '../../../shared/contract/schemas/usage.ts';
import { type Clock, timestamp } from '../../../shared/engine/clock.ts';
import type { AccountsStore } from '../accounts-store.ts';
import { usageKey } from './usage-store.ts';

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
): Promise<Usage | null> {
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
