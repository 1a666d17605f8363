import type { Result } from '../../shared/actions.ts';
import type { BookingReturns } from '../../shared/booking-returns.ts';
import { monthOf } from '../../shared/calendar/month.ts';
import type { Clock } from '../../shared/clock.ts';
import type { Deadline } from '../../shared/deadline.ts';
import { ApiError } from '../../shared/errors.ts';
import { retryDeadlock } from '../../shared/store/write-errors.ts';
import type { AccountsStore } from './accounts-store.ts';
import type { BookingLimit } from './booking-limit.ts';
import { gathered } from './gathered.ts';
import { insertNew } from './insert-new.ts';
import { type UsageRow, unused, usageKey } from './usage.model.ts';

type Reserved = Result<'accounts.reserveBookings'>;

interface Reservation {
	count: number;
	deadline: Deadline;
}

export type ReserveBookings = (account_id: string, count: number, deadline: Deadline) => Promise<Reserved>;

/**
 * Reserves bookings of the current month's quota: as many as were asked for, or what is left. Concurrent calls for one
 * account share one write and are served in order of arrival. Where a write fails, what it asked for may stay reserved.
 * @throws gateway_timeout where the deadline passed; what was reserved is given back then, for its caller has gone
 */
export function reserveBookings(
	store: AccountsStore,
	limitOf: BookingLimit,
	returns: BookingReturns,
	clock: Clock,
): ReserveBookings {
	const reserve = gathered<Reservation, Reserved>(async (account_id, batch) => {
		const limit = await limitOf(account_id);
		const month = monthOf(clock.now());
		const counts = batch.map(({ count, deadline }) => (deadline.remaining() > 0 ? count : 0));
		let left = await take(store.usage, { ...usageKey(account_id, month), limit, count: sum(counts) }, latest(batch));
		return counts.map((count) => {
			const granted = Math.min(count, left);
			left -= granted;
			return { granted, month };
		});
	});
	return async (account_id, count, deadline) => {
		const reserved = await reserve(account_id, { count, deadline });
		if (deadline.remaining() > 0) return reserved;
		returns.give({ account_id, month: reserved.month }, reserved.granted);
		throw new ApiError('gateway_timeout');
	};
}

/**
 * Adds up to `count` to the month's counter. The filter of each write holds what was counted on, so the counter passes
 * the limit at no moment, whatever other processes do; where there is room for all, one write is enough.
 */
async function take(
	usage: AccountsStore['usage'],
	{ count, limit, ...row }: Pick<UsageRow, '_id' | 'account_id'> & { count: number; limit: number },
	deadline: Deadline,
): Promise<number> {
	const roomForAll = limit === Number.POSITIVE_INFINITY ? {} : { bookings: { $lte: limit - count } };
	const add = async (condition: object, bookings: number) => {
		deadline.assertTimeLeft();
		const write = () => usage.updateOne({ ...row, ...condition }, { $inc: { bookings } });
		return (await retryDeadlock(write)).matchedCount === 1;
	};
	while (count > 0) {
		if (await add(roomForAll, count)) return count;
		const found = await usage.findOne(row).lean<UsageRow>();
		if (!found) await insertNew(usage, [unused(row)]);
		else if (found.bookings >= limit) return 0;
		else {
			const left = limit - found.bookings;
			if (left < count && (await add({ bookings: found.bookings }, left))) return left;
		}
	}
	return 0;
}

function sum(counts: number[]): number {
	return counts.reduce((total, count) => total + count, 0);
}

/** While one caller waits, the batch goes on. */
function latest(batch: Reservation[]): Deadline {
	return batch.reduce((last, { deadline }) => (deadline.at > last.at ? deadline : last), batch[0]!.deadline);
}
