import { LRUCache } from 'lru-cache';
import { type AccountKey, accountKey } from '../../../shared/contract/actions/common.ts';
import type { Params, Result } from '../../../shared/contract/actions.ts';
import type { Clock } from '../../../shared/engine/clock.ts';
import { SerialBatchesByKey } from '../../../shared/engine/serial-batches.ts';
import type { Deadline } from '../../../shared/work/deadline.ts';
import type { AccountsStore } from '../accounts-store.ts';
import { type UsageKey, type UsageStore, usageKey } from './usage-store.ts';

type Asked = Params<'accounts.reserveBookings'>;
type Reserved = Result<'accounts.reserveBookings'>;
type Wish = Asked & { deadline: Deadline };

export type ReserveBookings = (asked: Asked, deadline: Deadline) => Promise<Reserved>;

/**
 * Reserves bookings of a month's quota: as many as were asked for, or what is left. Concurrent calls for one account share
 * one write and are served in order of arrival.
 *
 * A reservation has a number of its own: the row remembers the last one of each booking process, with what it was
 * granted. So one whose answer was lost is asked for again and counted once, and one that lands late, after its
 * repetition, counts nothing.
 * @throws gateway_timeout where the deadline passed: the same number is to be asked for again
 */
export function reserveBookings({ usage }: AccountsStore, limitOf: BookingLimit): ReserveBookings {
	const batches = new SerialBatchesByKey<Wish, number>(async (batch) => {
		const { account_id } = batch[0]!;
		const limit = await limitOf(account_id);
		const granted = new Map<Wish, number>();
		for (const [month, together] of Map.groupBy(batch, (wish) => wish.month)) {
			const key = usageKey(account_id, month);
			const inTime = together.filter(({ deadline }) => deadline.remaining() > 0);
			const outcome = await reserveTogether(usage, key, limit, inTime);
			for (const wish of inTime) {
				const alone = { ...wish, again: wish.again || outcome === 'lost' };
				granted.set(wish, outcome === 'reserved' ? wish.count : await reserveAlone(usage, key, limit, alone));
			}
		}
		return batch.map((wish) => granted.get(wish) ?? 0);
	});
	return async (asked, deadline) => {
		const granted = await batches.ask(accountKey(asked), { ...asked, deadline });
		deadline.assertTimeLeft();
		return { granted };
	};
}

/** One write for all wishes, where there is room for all and the row knows their processes. */
async function reserveTogether(usage: UsageStore, key: UsageKey, limit: number, wishes: Wish[]) {
	if (wishes.length === 0 || new Set(wishes.map(({ by }) => by)).size < wishes.length) return 'refused';
	const reservations = wishes.map(({ by, number, count }) => ({ by, number, granted: count }));
	return usage.reserveAll(key, limit, reservations); // where it is lost, each is looked for by its number
}

/**
 * One wish, on what the row was read to hold. The write asks for what was counted on, so the counter passes the limit at
 * no moment, whatever other processes do.
 * @returns how many are granted; those of an earlier try where there was one
 */
async function reserveAlone(
	usage: UsageStore,
	key: UsageKey,
	limit: number,
	{ by, number, count, again = false, deadline }: Wish,
): Promise<number> {
	let mayStillCome = again;
	for (;;) {
		deadline.assertTimeLeft();
		const found = await usage.find(key);
		if (!found) {
			await usage.add([key]);
			continue;
		}
		const last = found.reserved?.[by];
		if (last !== undefined && last.number >= number) return last.number === number ? last.granted : 0;
		const granted = Math.max(0, Math.min(count, limit - found.bookings));
		if (granted === 0 && !mayStillCome) return 0; // nothing to remember, unless an earlier try may still land
		deadline.assertTimeLeft();
		const room = granted === count ? limit - count : 'as read';
		const outcome = await usage.reserve(found, { by, number, granted }, room);
		if (outcome === 'reserved') return granted;
		mayStillCome ||= outcome === 'lost'; // read again: either it is there, or it is tried again
	}
}

/**
 * Gives reserved bookings back to the month that they came from. It may be repeated where the outcome is unknown: the
 * same write remembers the number of the process' last return, for what was given back twice would be granted beyond the
 * limit.
 */
export async function releaseBookings(
	{ usage }: AccountsStore,
	{ account_id, month, ...given }: Params<'accounts.releaseBookings'>,
): Promise<void> {
	if (given.count > 0) await usage.release(usageKey(account_id, month), given);
}

/** ms; a changed plan counts within 5 s (contract §11) */
const TTL = 2_000;
const ACCOUNTS = 10_000;

/** Bookings a month that an account's plan allows; `Infinity` where there is no limit or the plan has overages. */
type BookingLimit = (account_id: string) => Promise<number>;

/** Asks the store at most once in two seconds for an account: every creation of a booking needs it. */
export function bookingLimit(store: AccountsStore, clock: Clock): BookingLimit {
	const cache = new LRUCache<AccountKey, number>({
		max: ACCOUNTS,
		ttl: TTL,
		ttlResolution: 0,
		perf: { now: () => clock.monotonic() },
		ignoreFetchAbort: true, // who asked is told, also where its entry had to go meanwhile
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
