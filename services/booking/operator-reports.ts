import { type Caller, call } from '../../shared/bus/call.ts';
import { maximumOf, room } from '../../shared/calendar/bookable.ts';
import { ApiError } from '../../shared/contract/errors.ts';
import type { OutboxReport, PlaceReport, QueueReport } from '../../shared/contract/reports.ts';
import type { FairLock } from '../../shared/lock/fair-lock.ts';
import type { BookingEngine } from './booking-engine.ts';
import { type Occurrence, occurrenceKey, occurrenceName, seatOf } from './document/keys.ts';
import { isExpired } from './document/states.ts';

/** Most bookings that are counted exactly */
const MOST = 10_000;

/**
 * An occurrence as the engine sees it now, for an operator: of any account, and without its customers.
 * @throws time_slot_not_found
 */
export async function showOccurrence(
	{ store }: BookingEngine,
	caller: Caller,
	lock: FairLock,
	{ time_slot_id, date }: { time_slot_id: number; date: string },
): Promise<PlaceReport> {
	const [found, occupants] = await Promise.all([
		call(caller, 'catalog.findSlot', { time_slot_id, date }),
		store.all.occupantsOf([occurrenceName(time_slot_id, date)]),
	]);
	if (found === null) throw new ApiError('time_slot_not_found');
	const { account_id, slot, rules, override } = found;
	const [max, now] = [maximumOf(slot, override), store.clock.now()];
	const state = await lock.inspect(occurrenceKey({ account_id, time_slot_id, date })).catch(() => null);
	return {
		time_slot_id,
		date,
		service_id: slot.service_id,
		account_id,
		max,
		override_id: override?.id ?? null,
		rules,
		taken: occupants
			.map(({ _id, seat_key, status }) => ({ booking_id: _id, seat: seatOf(seat_key), status }))
			.sort((a, b) => a.seat - b.seat),
		free: room(max, occupants.filter((occupant) => !isExpired(occupant, now)).length),
		lock: state,
	};
}

/** What waits in this process. */
export function showQueues({ seats }: BookingEngine, lock: FairLock, occurrence?: Occurrence): QueueReport {
	const { acquired, lockFree, lost, held, ttl, degraded } = lock.stats;
	return {
		waiting: seats.waiting(occurrence),
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
	const { count, since } = await store.all.waiting(MOST);
	const oldest = since === undefined ? 0 : Math.max(sweeper.oldestSeen(), store.clock.now() - since);
	return { waiting: count, oldest };
}
