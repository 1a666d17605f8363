import { type Caller, call } from '../../shared/bus/call.ts';
import { maximumOf, room } from '../../shared/calendar/bookable.ts';
import { isInStep, scheduledOn } from '../../shared/calendar/scheduled.ts';
import type { Params, SlotNow } from '../../shared/contract/actions.ts';
import { ApiError, isError } from '../../shared/contract/errors.ts';
import type { Refused } from '../../shared/contract/refused.ts';
import type {
	BookingReport,
	OutboxReport,
	PlaceReport,
	QueueReport,
	SlotOnDate,
} from '../../shared/contract/reports.ts';
import type { FairLock } from '../../shared/lock/fair-lock.ts';
import type { BookingEngine } from './booking-engine.ts';
import { type Occurrence, occurrenceKey, occurrenceName } from './document/keys.ts';
import { waitingEvents } from './document/prepare-update.ts';
import { isActive, isExpired } from './document/states.ts';
import { findBooking } from './find-booking.ts';

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
			.map(({ _id, seat, status }) => ({ booking_id: _id, seat, status }))
			.sort((a, b) => a.seat - b.seat),
		free: room(max, occupants.filter((occupant) => !isExpired(occupant, now)).length),
		lock: state,
	};
}

/** A booking of an account for an operator, without its customer, and beside it its slot as it is now. */
export async function showBooking(
	engine: BookingEngine,
	{ account_id, booking_id }: Params<'booking.showBooking'>,
): Promise<BookingReport | Refused> {
	const none = { refused: `There is no booking ${booking_id} of account ${account_id}.` };
	const booking = await findBooking(engine, { account_id, booking_id }).catch((error: unknown) => {
		if (isError(error, 'booking_not_found')) return undefined;
		throw error;
	});
	if (booking === undefined) return none;
	const { service_id, time_slot_id, date, status, version, promised, created_at, updated_at } = booking;
	const { expires_at = null } = booking;
	const seat = isActive(booking) ? booking.seat : null;
	const now = await engine.slots.ask({ account_id, time_slot_id, date });
	return {
		...{ booking_id, account_id, service_id, time_slot_id, date, status, seat, expires_at, version },
		promised: {
			starts_at: promised.starts_at,
			ends_at: promised.ends_at,
			timezone: promised.timezone,
			time_slot: promised.time_slot,
		},
		slot_now: now && onDate(now, date),
		in_step: now && isInStep(promised, scheduledOn(now, date)),
		...{ created_at, updated_at, waiting_events: waitingEvents(booking.outbox).length },
	};
}

function onDate(now: SlotNow, date: string): SlotOnDate {
	const scheduled = scheduledOn(now, date);
	return {
		time_slot: now.slot,
		timezone: now.timezone,
		starts_at: scheduled?.starts_at ?? null,
		ends_at: scheduled?.ends_at ?? null,
		max: maximumOf(now.slot, now.override),
		override_id: now.override?.id ?? null,
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
