import { addDays, datesBetween, daysBetween } from '../../shared/calendar/plain-date.ts';
import type { AvailabilityEntry } from '../../shared/contract/schemas/availability.ts';
import type { CreateDateOverride } from '../../shared/contract/schemas/date-override.ts';
import type { Rules } from '../../shared/contract/schemas/rules.ts';
import type { TimeSlotChange, TimeSlotInput } from '../../shared/contract/schemas/time-slot.ts';
import { wallClock } from '../catalog/zone-oracle.ts';
import type { Random } from '../proof/random.ts';
import { drawTimes, WEEKS } from '../support/clock-changes.ts';

const MINUTE = 60_000;
const DAY = 1_440 * MINUTE;
const LAST = '9999-12-31';

/** Dates that are looked at, both included. */
export interface Range {
	from: string;
	to: string;
}

/** Half of them around a change of clocks or the edge of a calendar, the others in any year. */
export function drawRange(random: Random): Range {
	const year = String(random.between(1971, 9998));
	const from = random.chance(0.5) ? addDays(random.pick(WEEKS), random.between(-3, 3)) : drawDate(random, year);
	return { from, to: earlier(addDays(from, Math.min(random.between(3, 9), daysBetween(from, LAST))), LAST) };
}

function drawDate(random: Random, year: string): string {
	return addDays(`${year}-01-01`, random.index(365));
}

export function drawSlots(random: Random, range: Range): TimeSlotInput[] {
	return Array.from({ length: random.between(1, 5) }, () => ({
		day_of_week: random.index(7),
		max_bookings: random.between(1, 3),
		...drawTimes(random),
		...drawValidity(random, range),
	}));
}

/** What a bulk update changes of a slot: most often its maximum, also to less than is booked, or to none. */
export function drawChange(random: Random, id: number, range: Range): TimeSlotChange {
	if (random.chance(0.6)) return { id, max_bookings: random.index(3) };
	return random.chance(0.5) ? { id, ...drawValidity(random, range) } : { id, ...drawTimes(random) };
}

/** Where it has an edge, most often within the range, or a day from it. */
function drawValidity(random: Random, range: Range): { valid_from: string | null; valid_until: string | null } {
	const [one, other] = [near(random, range), near(random, range)];
	const [first, last] = one < other ? [one, other] : [other, one];
	return { valid_from: random.chance(0.3) ? first : null, valid_until: random.chance(0.3) ? last : null };
}

function near(random: Random, { from, to }: Range): string {
	const date = addDays(from, random.between(-1, daysBetween(from, to)));
	return to < LAST && random.chance(0.1) ? addDays(to, 1) : date;
}

export function drawOverride(random: Random, slotIds: readonly number[], range: Range): CreateDateOverride {
	const [one, other] = [near(random, range), near(random, range)];
	const [date_from, date_to] = one < other ? [one, other] : [other, one];
	const time_slot_id = random.chance(0.4) ? null : random.pick(slotIds);
	return { date_from, date_to, time_slot_id, max_bookings: random.index(4) };
}

/** A moment, and rules that draw the line at one of these rows, or a little before or after it. */
export function drawMoment(
	random: Random,
	rows: readonly AvailabilityEntry[],
	timezone: string,
	range: Range,
): { now: number; rules: Rules } {
	const row = rows.length === 0 ? undefined : random.pick(rows);
	const start = Date.parse(row?.starts_at ?? `${range.from}T12:00:00Z`);
	const notice = random.pick([null, 0, 0, 1, 90, 1_440, random.index(20_000), 525_600]);
	const days = random.pick([null, 1, 2, random.between(1, 12), 365, 3_650]);
	const aside = random.pick([-DAY, -MINUTE, -1, 0, 1, MINUTE, DAY, random.between(-9, 9) * DAY]);
	const rules = { min_notice_minutes: notice, max_advance_days: days };
	if (notice !== null && random.chance(0.6)) return { now: start - notice * MINUTE + aside, rules };
	if (days === null) return { now: start + aside * random.between(1, 400), rules };
	return { now: midnight(addDays(row?.date ?? range.from, -days), timezone) + aside, rules };
}

/** About the moment at which a date begins in a zone: there, dates ahead are counted from. */
function midnight(date: string, timezone: string): number {
	const utc = Date.parse(`${date}T00:00:00Z`);
	return utc - (Date.parse(`${wallClock(timezone, utc).replace(' ', 'T')}Z`) - utc);
}

/** Dates and slots of a range, with or without a row. */
export function everyPlace(slotIds: readonly number[], { from, to }: Range): { date: string; time_slot_id: number }[] {
	return datesBetween(from, to).flatMap((date) => slotIds.map((time_slot_id) => ({ date, time_slot_id })));
}

function earlier(one: string, other: string): string {
	return one < other ? one : other;
}
