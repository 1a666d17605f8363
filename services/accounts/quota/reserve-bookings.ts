import { accountKey } from '../../../shared/contract/account-key.ts';
import type { Params, Result } from '../../../shared/contract/actions.ts';
import { SerialBatchesByKey } from '../../../shared/engine/serial-batches.ts';
import { mayStillLand, retryDeadlock } from '../../../shared/store/write-errors.ts';
import type { Deadline } from '../../../shared/work/deadline.ts';
import type { AccountsStore } from '../accounts-store.ts';
import { insertNew } from '../insert-new.ts';
import type { BookingLimit } from './booking-limit.ts';
import { type UsageRow, unused, usageKey } from './usage.model.ts';

type Asked = Params<'accounts.reserveBookings'>;
type Reserved = Result<'accounts.reserveBookings'>;
type Reservation = Asked & { deadline: Deadline };
type RowKey = Pick<UsageRow, '_id' | 'account_id'>;

/** Processes whose last reservation a row remembers: far more than run at once */
const REMEMBERED = 64;

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
export function reserveBookings(store: AccountsStore, limitOf: BookingLimit): ReserveBookings {
	const reservations = new SerialBatchesByKey<Reservation, number>(async (batch) => {
		const { account_id } = batch[0]!;
		const limit = await limitOf(account_id);
		const granted = new Map<Reservation, number>();
		for (const [month, together] of Map.groupBy(batch, (one) => one.month)) {
			const row = usageKey(account_id, month);
			const inTime = together.filter(({ deadline }) => deadline.remaining() > 0);
			const outcome = await takeAll(store.usage, row, limit, inTime);
			for (const one of inTime) {
				const asked = { ...one, again: one.again || outcome === 'lost' };
				granted.set(one, outcome === 'taken' ? one.count : await take(store.usage, row, limit, asked));
			}
		}
		return batch.map((one) => granted.get(one) ?? 0);
	});
	return async (asked, deadline) => {
		const granted = await reservations.ask(accountKey(asked), { ...asked, deadline });
		deadline.assertTimeLeft();
		return { granted };
	};
}

/**
 * One write for all, where there is room for all and the row knows their processes.
 * @returns `no` where nothing was written: not enough room, a process that is new, a repetition; `lost`: it may still land
 */
async function takeAll(
	usage: AccountsStore['usage'],
	row: RowKey,
	limit: number,
	batch: Reservation[],
): Promise<'taken' | 'no' | 'lost'> {
	if (batch.length === 0 || new Set(batch.map(({ by }) => by)).size < batch.length) return 'no';
	const total = batch.reduce((sum, { count }) => sum + count, 0);
	const earlier = batch.map(({ by, number }) => [`reserved.${by}.number`, { $lt: number }]);
	const remember = batch.map(({ by, number, count }) => [`reserved.${by}`, { number, granted: count }]);
	const change = { $inc: { bookings: total }, $set: Object.fromEntries(remember) };
	const write = () => usage.updateOne({ ...row, ...roomFor(total, limit), ...Object.fromEntries(earlier) }, change);
	try {
		return (await retryDeadlock(write)).matchedCount === 1 ? 'taken' : 'no';
	} catch (error) {
		if (!mayStillLand(error)) throw error;
		return 'lost'; // each is looked for by its number
	}
}

/**
 * One reservation, on what the row was read to hold. The filter holds what was counted on, so the counter passes the
 * limit at no moment, whatever other processes do.
 * @returns how many are granted; those of an earlier try where there was one
 */
async function take(
	usage: AccountsStore['usage'],
	row: RowKey,
	limit: number,
	{ by, number, count, again = false, deadline }: Reservation,
): Promise<number> {
	const path = `reserved.${by}`;
	let mayStillCome = again;
	for (;;) {
		deadline.assertTimeLeft();
		const found = await usage.findOne(row).lean<UsageRow>();
		if (!found) {
			await insertNew(usage, [unused(row)]);
			continue;
		}
		const last = found.reserved?.[by];
		if (last !== undefined && last.number >= number) return last.number === number ? last.granted : 0;
		const granted = Math.max(0, Math.min(count, limit - found.bookings));
		if (granted === 0 && !mayStillCome) return 0; // nothing to remember, unless an earlier try may still land
		const asRead = last === undefined ? { [path]: { $exists: false } } : { [`${path}.number`]: last.number };
		const change = { $inc: { bookings: granted }, $set: { [path]: { number, granted } }, ...forgotten(found, by) };
		deadline.assertTimeLeft();
		const room = granted === count ? roomFor(count, limit) : { bookings: found.bookings };
		const write = () => usage.updateOne({ ...row, ...room, ...asRead }, change);
		const written = await retryDeadlock(write).catch((error: unknown) => {
			if (!mayStillLand(error)) throw error;
			mayStillCome = true;
			return { matchedCount: 0 }; // read again: either it is there, or it is tried again
		});
		if (written.matchedCount === 1) return granted;
	}
}

function roomFor(count: number, limit: number) {
	return limit === Number.POSITIVE_INFINITY ? {} : { bookings: { $lte: limit - count } };
}

/** Where a new process is remembered, those that are known longest go: their processes ended long ago. */
function forgotten({ reserved = {} }: UsageRow, by: string) {
	if (by in reserved) return {};
	const most = Object.keys(reserved).slice(0, -(REMEMBERED - 1));
	return most.length === 0 ? {} : { $unset: Object.fromEntries(most.map((each) => [`reserved.${each}`, ''])) };
}
