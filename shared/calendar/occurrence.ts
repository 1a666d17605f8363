import { LRUCache } from 'lru-cache';
import { DateTime, IANAZone } from 'luxon';
import { daysBetween } from './plain-date.ts';

const DAY = 86_400_000;
const HOUR = 3_600_000;
const MINUTE = 60_000;

/** The wall-clock times of a slot, `YYYY-MM-DD HH:MM:SS`. */
export interface WallClock {
	start_time: string;
	end_time: string;
}

/** Where a slot is on one date, ISO 8601 with the zone's offset at that moment. */
export interface Moments {
	starts_at: string;
	ends_at: string;
}

/** A slot's wall-clock times, taken apart: once for all of its dates. */
export interface Hours {
	/** `HH:MM:SS` */
	start: string;
	end: string;
	/** From the start's date to the end's */
	days: number;
}

export function hoursOf({ start_time, end_time }: WallClock): Hours {
	const [first, last] = [start_time.slice(0, 10), end_time.slice(0, 10)];
	return {
		start: start_time.slice(11),
		end: end_time.slice(11),
		days: first === last ? 0 : daysBetween(first, last),
	};
}

/** ms between the two times on a clock that is never changed */
function lengthOf({ start, end, days }: Hours): number {
	return days * DAY + Date.parse(`1970-01-01T${end}Z`) - Date.parse(`1970-01-01T${start}Z`);
}

/** Where a slot is on one date. */
export function occurrenceOn(date: string, zone: string, slot: WallClock): Moments {
	return occurrencesOn(date, zone)(hoursOf(slot));
}

/**
 * Slots on one date: their wall-clock times there, ISO 8601 with the zone's offset at that moment (contract §4). A time
 * that a change of the clocks skips moves forward by what is skipped; of one that occurs twice it is the first. The end
 * is as many days after `date` as the end's date is after the start's.
 *
 * Where a start was moved to its end or past it, as of a slot that begins inside a skipped hour and ends right after it,
 * the slot keeps its length instead.
 *
 * @param date a real date; that it falls on the slot's day of the week is the caller's to know
 * @param zone a name that `isTimeZone` takes
 */
export function occurrencesOn(date: string, zone: string): (hours: Hours) => Moments {
	const day = Date.parse(`${date}T00:00:00Z`) / DAY;
	const moment = momentsOf(day, zone);
	return (hours) => {
		const { start, end, days } = hours;
		const starts_at = moment.at(start);
		// One day without a change of the clocks: nothing was moved, and nothing has to be compared.
		if (days === 0 && moment.isEven) return { starts_at, ends_at: moment.at(end) };
		const ends_at = momentsOf(day + days, zone).at(end);
		if (Date.parse(ends_at) > Date.parse(starts_at)) return { starts_at, ends_at };
		return { starts_at, ends_at: shown(zone, Date.parse(starts_at) + lengthOf(hours)) };
	};
}

function shown(zone: string, ms: number): string {
	return DateTime.fromMillis(ms, { zone: IANAZone.create(zone) }).toISO({ suppressMilliseconds: true })!;
}

const offsets = new LRUCache<string, string>({ max: 20_000 });
const moments = new LRUCache<string, string>({ max: 20_000 });
const VARIES = '';

/**
 * luxon takes 55 µs to place a wall-clock time, which 92 days of 500 slots would feel. So a day on which the offset
 * stays the same, as on nearly all, is asked for its offset once; only the others are asked time by time.
 *
 * @param day days since 1970-01-01; an end may be later than the year 9999
 * @returns `isEven`: the offset stays the same
 */
function momentsOf(day: number, zone: string): { at(time: string): string; isEven: boolean } {
	const offset = remember(offsets, `${zone}|${day}`, () => offsetOfDay(zone, day));
	const date = dateText(day);
	if (offset !== VARIES) return { at: (time) => `${date}T${time}${offset}`, isEven: true };
	const at = (time: string) => remember(moments, `${zone}|${day}|${time}`, () => placed(zone, day, time));
	return { at, isEven: false };
}

/** The offset of a local day, `+02:00`, where it is the same from well before the day to well after it. */
function offsetOfDay(name: string, day: number): string {
	const zone = IANAZone.create(name);
	const from = day * DAY - 16 * HOUR; // local midnight is at most 16 h away from UTC's, local mean times included
	const samples = [from, from + 28 * HOUR, from + 56 * HOUR];
	const [first, ...others] = samples.map((ms) => zone.offset(ms));
	return others.every((offset) => offset === first) ? zone.formatOffset(from, 'short') : VARIES;
}

/**
 * Tries the offsets of a day before and a day after, as ECMAScript's `Temporal` does: the earlier of the moments that
 * show the time, or, where it is skipped, the later of the two. luxon's own `fromObject` starts from today's offset
 * instead, and misses by an hour in zones that have changed the day since, such as `Pacific/Apia`.
 */
function placed(name: string, day: number, time: string): string {
	const zone = IANAZone.create(name);
	const local = day * DAY + Date.parse(`1970-01-01T${time}Z`);
	const minutes = [zone.offset(local - DAY), zone.offset(local + DAY)];
	const shows = minutes.filter((offset) => zone.offset(local - offset * MINUTE) === offset);
	return shown(name, local - (shows.length > 0 ? Math.max(...shows) : Math.min(...minutes)) * MINUTE);
}

/** `YYYY-MM-DD`; after the year 9999 with the sign and six digits of ISO 8601. */
function dateText(day: number): string {
	return new Date(day * DAY).toISOString().slice(0, -14);
}

function remember(cache: LRUCache<string, string>, key: string, compute: () => string): string {
	let value = cache.get(key);
	if (value === undefined) {
		value = compute();
		cache.set(key, value);
	}
	return value;
}
