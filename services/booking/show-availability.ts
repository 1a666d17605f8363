import { type Caller, call } from '../../shared/bus/call.ts';
import { type BookingWindow, placeRefusal, room, windowOf, windowRefusal } from '../../shared/calendar/bookable.ts';
import type { Params, Result } from '../../shared/contract/actions.ts';
import type { AvailabilityEntry, Occurrence } from '../../shared/contract/schemas/availability.ts';
import { NO_RULES } from '../../shared/contract/schemas/rules.ts';
import { Slices } from '../../shared/work/long-work.ts';
import type { BookingStore } from './document/booking-store.ts';
import { byDate } from './document/keys.ts';

/** Rows of one answer: about 350 KB */
const MAX_ROWS = 1_500;
/** Rows between two looks at the clock */
const ROWS_A_LOOK = 50;

/**
 * What can be booked from a date to another, by date, then slot. Creation answers from the same rule.
 * @returns `next`: to go on with, where the answer would be too large for one message
 */
export async function showAvailability(
	store: BookingStore,
	caller: Caller,
	{ ignore_rules = false, ...params }: Params<'booking.availability'>,
): Promise<Result<'booking.availability'>> {
	const now = store.clock.now();
	const [{ occurrences, timezone, rules, next }, expired] = await Promise.all([
		call(caller, 'catalog.occurrences', { ...params, limit: MAX_ROWS }),
		store.lists.expired(params, now),
	]);
	const [first, last] = [occurrences[0], occurrences.at(-1)];
	const booked = byDate(
		first && last
			? await store.lists.countByOccurrence(params, first.date, last.date, expired)
			: new Map<string, number>(),
	);
	const window = windowOf(ignore_rules ? NO_RULES : rules, timezone, now);
	const availability: AvailabilityEntry[] = [];
	const slices = new Slices();
	try {
		for (const [index, occurrence] of occurrences.entries()) {
			if (index % ROWS_A_LOOK === 0 && slices.isUsedUp) await slices.next();
			const count = booked.get(occurrence.date)?.get(occurrence.time_slot_id) ?? 0;
			availability.push(entryOf(occurrence, count, window));
		}
	} finally {
		slices.end();
	}
	return { availability, next };
}

function entryOf(occurrence: Occurrence, booked: number, window: BookingWindow): AvailabilityEntry {
	const { date, time_slot_id, starts_at, ends_at, max_bookings, override_id } = occurrence;
	const remaining = room(max_bookings, booked);
	const reason = windowRefusal(window, date, () => starts_at) ?? placeRefusal(max_bookings, booked);
	const bookable = reason === null;
	return { date, time_slot_id, starts_at, ends_at, max_bookings, override_id, booked, remaining, bookable, reason };
}
