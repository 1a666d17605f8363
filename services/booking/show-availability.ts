import { type Caller, call } from '../../shared/bus/call.ts';
import { placeRefusal, room } from '../../shared/calendar/bookable.ts';
import type { Params, Result } from '../../shared/contract/actions.ts';
import type { AvailabilityEntry, Occurrence } from '../../shared/contract/schemas/availability.ts';
import type { BookingStore } from './document/booking-store.ts';
import { occurrenceName } from './document/keys.ts';

/** Rows of one answer: about 350 KB */
const MAX_ROWS = 1_500;

/**
 * What can be booked from a date to another, by date, then slot. Creation answers from the same rule.
 * @returns `next`: to go on with, where the answer would be too large for one message
 */
export async function showAvailability(
	store: BookingStore,
	caller: Caller,
	params: Params<'booking.availability'>,
): Promise<Result<'booking.availability'>> {
	const { occurrences, next } = await call(caller, 'catalog.occurrences', { ...params, limit: MAX_ROWS });
	const [first, last] = [occurrences[0], occurrences.at(-1)];
	const booked =
		first && last ? await store.lists.countByOccurrence(params, first.date, last.date) : new Map<string, number>();
	return { availability: occurrences.map((occurrence) => entryOf(occurrence, booked)), next };
}

function entryOf(occurrence: Occurrence, booked: ReadonlyMap<string, number>): AvailabilityEntry {
	const count = booked.get(occurrenceName(occurrence.time_slot_id, occurrence.date)) ?? 0;
	const remaining = room(occurrence.max_bookings, count);
	const reason = placeRefusal(occurrence.max_bookings, count);
	return { ...occurrence, booked: count, remaining, bookable: reason === null, reason };
}
