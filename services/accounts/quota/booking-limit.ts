import { LRUCache } from 'lru-cache';
import { type AccountKey, accountKey } from '../../../shared/contract/account-key.ts';
import type { Clock } from '../../../shared/engine/clock.ts';
import type { AccountsStore } from '../accounts-store.ts';

/** ms; a changed plan counts within 5 s (contract §11) */
const TTL = 2_000;
const ACCOUNTS = 10_000;

/** Bookings a month that an account's plan allows; `Infinity` where there is no limit or the plan has overages. */
export type BookingLimit = (account_id: string) => Promise<number>;

/** Asks the store at most once in two seconds for an account: every creation of a booking needs it. */
export function bookingLimit(store: AccountsStore, clock: Clock): BookingLimit {
	const cache = new LRUCache<AccountKey, number>({
		max: ACCOUNTS,
		ttl: TTL,
		ttlResolution: 0,
		perf: { now: () => clock.monotonic() },
		fetchMethod: (account_id) => readLimit(store, account_id),
	});
	return (account_id) => cache.forceFetch(accountKey({ account_id }));
}

async function readLimit(store: AccountsStore, account_id: string): Promise<number> {
	const account = await store.account(account_id);
	if (!account) throw new Error(`no account ${account_id}`);
	const plan = await store.plan(account);
	return plan.overages_enabled ? Number.POSITIVE_INFINITY : (plan.bookings_per_month ?? Number.POSITIVE_INFINITY);
}
