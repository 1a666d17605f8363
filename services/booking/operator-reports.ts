import { type Caller, call } from '../../shared/bus/call.ts';
import { ApiError } from '../../shared/contract/errors.ts';
import type { OutboxReport, PlaceReport, QueueReport } from '../../shared/contract/reports.ts';
import type { FairLock } from '../../shared/lock/fair-lock.ts';
import type { BookingEngine } from './booking-engine.ts';
import type { BookingDocument } from './document/booking.model.ts';
import { type Occurrence, occurrenceKey, placeOf, room, seatOf } from './document/capacity.ts';

/** Most bookings that are counted exactly */
const MOST = 10_000;

/**
 * A slot on a date as the engine sees it now, for an operator: whoever's it is, and without its customers.
 * @throws time_slot_not_found
 */
export async function showPlace(
	{ store }: BookingEngine,
	caller: Caller,
	lock: FairLock,
	{ time_slot_id, date }: { time_slot_id: number; date: string },
): Promise<PlaceReport> {
	const place = placeOf(time_slot_id, date);
	const [found, taken] = await Promise.all([
		call(caller, 'catalog.findSlot', { time_slot_id }),
		store.model
			.find({ place })
			.select({ seat_key: 1, status: 1 })
			.setOptions({ everyAccount: true })
			.lean<Pick<BookingDocument, '_id' | 'seat_key' | 'status'>[]>(),
	]);
	if (found === null) throw new ApiError('time_slot_not_found');
	const { account_id, slot } = found;
	const state = await lock.inspect(occurrenceKey({ account_id, time_slot_id, date })).catch(() => null);
	return {
		time_slot_id,
		date,
		service_id: slot.service_id,
		account_id,
		max: slot.max_bookings,
		taken: taken
			.map(({ _id, seat_key, status }) => ({ booking_id: _id, seat: seatOf(seat_key), status }))
			.sort((a, b) => a.seat - b.seat),
		free: room(slot.max_bookings, taken.length),
		lock: state,
	};
}

/** What waits in this process. */
export function showQueues({ places }: BookingEngine, lock: FairLock, occurrence?: Occurrence): QueueReport {
	const { acquired, lockFree, lost, held, ttl, degraded } = lock.stats;
	return {
		waiting: places.waiting(occurrence),
		lock: {
			acquired,
			lock_free: lockFree.timeout + lockFree.unavailable,
			lost,
			held: held.report(),
			ttl,
			degraded,
		},
	};
}

/** How far event log and directory are behind. */
export async function showOutbox({ store, sweeper }: BookingEngine): Promise<OutboxReport> {
	const waiting = { relay_at: { $gt: 0 } };
	const [count, [oldest]] = await Promise.all([
		store.model.countDocuments(waiting).limit(MOST).setOptions({ everyAccount: true }),
		store.model
			.find(waiting)
			.select({ relay_at: 1 })
			.sort({ relay_at: 1 })
			.limit(1)
			.setOptions({ everyAccount: true })
			.lean<Pick<BookingDocument, 'relay_at'>[]>(),
	]);
	return { waiting: count, oldest: oldest ? Math.max(sweeper.oldestSeen(), store.clock.now() - oldest.relay_at) : 0 };
}
