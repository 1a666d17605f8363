import type { Caller } from '../../shared/bus/call.ts';
import { occurrenceOn } from '../../shared/calendar/occurrence.ts';
import { addDays, daysBetween } from '../../shared/calendar/plain-date.ts';
import type { Params, Result } from '../../shared/contract/actions.ts';
import type { AvailabilityEntry } from '../../shared/contract/schemas/availability.ts';
import type { BookingEngine } from './booking-engine.ts';
import { showAvailability } from './show-availability.ts';

const DAY = 86_400_000; // ms
/** Days around the wanted one that are looked at, one after the other; the last is as far as anybody looks */
const REACHES = [3, 28] as const;

/**
 * Places of the same service that can be booked in place of one that could not, the nearest in time first. Where the wanted one
 * has not begun, neither has any of them. Called after a refusal only, so nothing waits for it that could be booked.
 */
export async function findAlternatives(
	{ store, slots }: BookingEngine,
	caller: Caller,
	{ account_id, time_slot_id, date, count, ignore_rules }: Params<'booking.alternatives'>,
): Promise<Result<'booking.alternatives'>> {
	const wanted = await slots.ask({ account_id, time_slot_id });
	if (wanted === null) return [];
	const { service_id } = wanted.slot;
	const at = Date.parse(occurrenceOn(date, wanted.timezone, wanted.slot).starts_at);
	const now = store.clock.now();
	const distance = ({ starts_at }: AvailabilityEntry) => Math.abs(Date.parse(starts_at) - at);
	let found: AvailabilityEntry[] = [];
	for (const reach of REACHES) {
		const range = { account_id, service_id, ...around(date, reach), ignore_rules };
		found = (await everyEntry((part) => showAvailability(store, caller, { ...range, ...part })))
			.filter(({ bookable, starts_at }) => bookable && (at <= now || Date.parse(starts_at) > now))
			.filter((entry) => distance(entry) <= 28 * DAY)
			.sort((a, b) => distance(a) - distance(b) || Date.parse(a.starts_at) - Date.parse(b.starts_at));
		// What begins as far away as the range ends may have something nearer behind it, in another zone's day.
		if (found.filter((entry) => distance(entry) < (reach - 1) * DAY).length >= count) break;
	}
	return found.slice(0, count).map(({ time_slot_id: id, date: on, starts_at, ends_at, remaining }) => {
		return { service_id, time_slot_id: id, date: on, starts_at, ends_at, remaining };
	});
}

/** Dates exist from 0001-01-01 to 9999-12-31. */
function around(date: string, days: number): { from: string; to: string } {
	const before = Math.min(days, daysBetween('0001-01-01', date));
	const after = Math.min(days, daysBetween(date, '9999-12-31'));
	return { from: addDays(date, -before), to: addDays(date, after) };
}

async function everyEntry(
	fetch: (part: Partial<Params<'booking.availability'>>) => Promise<Result<'booking.availability'>>,
): Promise<AvailabilityEntry[]> {
	const entries: AvailabilityEntry[] = [];
	for (let part: Partial<Params<'booking.availability'>> | null = {}; part !== null; ) {
		const piece: Result<'booking.availability'> = await fetch(part);
		entries.push(...piece.availability);
		part = piece.next;
	}
	return entries;
}
