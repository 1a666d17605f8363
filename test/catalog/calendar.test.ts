import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { occurrenceOn, type WallClock } from '../../shared/calendar/occurrence.ts';
import {
	addDays,
	datesBetween,
	dayOfWeek,
	daysBetween,
	isRealDate,
	isRealLocalDateTime,
	weekdayName,
} from '../../shared/calendar/plain-date.ts';
import { isTimeZone } from '../../shared/calendar/time-zone.ts';
import { placesOf, wallClock } from './zone-oracle.ts';

const HOUR = 3_600_000;
const ZONES = [
	'Europe/Berlin',
	'Europe/Dublin',
	'Europe/London',
	'America/New_York',
	'America/St_Johns',
	'America/Sao_Paulo',
	'America/Caracas',
	'America/Havana',
	'Australia/Lord_Howe',
	'Australia/Adelaide',
	'Antarctica/Troll',
	'Africa/Casablanca',
	'Africa/Cairo',
	'Asia/Tehran',
	'Asia/Kathmandu',
	'Asia/Gaza',
	'Asia/Pyongyang',
	'Pacific/Apia',
	'Pacific/Chatham',
	'Pacific/Kiritimati',
	'UTC',
];

const two = (value: number) => String(value).padStart(2, '0');
const date = fc
	.integer({ min: Date.UTC(1975, 0, 1) / 86_400_000, max: Date.UTC(2037, 11, 31) / 86_400_000 })
	.map((day) => new Date(day * 86_400_000).toISOString().slice(0, 10));
const time = fc
	.tuple(fc.integer({ min: 0, max: 23 }), fc.constantFrom(0, 15, 29, 30, 45, 59), fc.constantFrom(0, 59))
	.map((parts) => parts.map(two).join(':'));

/** Starts on `on`, wherever it recurs. */
function startsAt(zone: string, on: string, at: string): string {
	return occurrenceOn(on, zone, { start_time: `2026-01-05 ${at}`, end_time: '2026-01-06 00:00:00' }).starts_at;
}

const changesOf = new Map<string, string[]>();

/** Dates on which a zone's offset changes, and their neighbours. */
function changes(zone: string, year: number): string[] {
	const known = changesOf.get(`${zone} ${year}`);
	if (known) return known;
	const found: string[] = [];
	const offsetAt = (ms: number) => Date.parse(`${wallClock(zone, ms).replace(' ', 'T')}Z`) - ms;
	for (let ms = Date.UTC(year, 0, 1); ms < Date.UTC(year + 1, 0, 1); ms += 24 * HOUR) {
		if (offsetAt(ms) === offsetAt(ms + 24 * HOUR)) continue;
		const day = new Date(ms).toISOString().slice(0, 10);
		found.push(addDays(day, -1), day, addDays(day, 1));
	}
	changesOf.set(`${zone} ${year}`, found);
	return found;
}

describe('an occurrence', () => {
	const expectRule = (zone: string, on: string, at: string) => {
		const result = startsAt(zone, on, at);
		expect(new Date(Date.parse(result)).toISOString()).toBe(new Date(placesOf(zone, `${on} ${at}`)).toISOString());
		expect(result.slice(0, 19).replace('T', ' ')).toBe(wallClock(zone, Date.parse(result)));
	};

	test('When any time on any date in any zone is placed, then it is the first that shows it, or moved past a gap', () => {
		fc.assert(
			fc.property(fc.constantFrom(...ZONES), date, time, (zone, on, at) => expectRule(zone, on, at)),
			{ numRuns: 500 },
		);
	});

	test('When the date is near a change of the clocks, then the same holds', () => {
		const year = fc.integer({ min: 1990, max: 2036 });
		fc.assert(
			fc.property(fc.constantFrom(...ZONES), year, fc.nat(), time, (zone, inYear, pick, at) => {
				const near = changes(zone, inYear);
				fc.pre(near.length > 0);
				expectRule(zone, near[pick % near.length]!, at);
			}),
			{ numRuns: 200 },
		);
	});

	test.each([
		['Europe/Berlin', '2026-03-29', '02:30:00', '2026-03-29T03:30:00+02:00'],
		['Europe/Berlin', '2026-10-25', '02:30:00', '2026-10-25T02:30:00+02:00'],
		['Europe/Berlin', '2026-10-25', '03:00:00', '2026-10-25T03:00:00+01:00'],
		['Australia/Lord_Howe', '2026-10-04', '02:15:00', '2026-10-04T02:45:00+11:00'],
		['Australia/Lord_Howe', '2026-04-05', '01:45:00', '2026-04-05T01:45:00+11:00'],
		['America/Sao_Paulo', '2018-11-04', '00:30:00', '2018-11-04T01:30:00-02:00'],
		['America/Sao_Paulo', '2018-02-17', '23:30:00', '2018-02-17T23:30:00-02:00'],
		['America/Sao_Paulo', '2026-11-01', '00:30:00', '2026-11-01T00:30:00-03:00'],
		['Pacific/Apia', '2010-09-26', '00:30:00', '2010-09-26T01:30:00-10:00'],
		['Pacific/Apia', '2010-09-26', '12:00:00', '2010-09-26T12:00:00-10:00'],
		['Pacific/Apia', '2011-12-30', '09:00:00', '2011-12-31T09:00:00+14:00'],
		['UTC', '2026-01-05', '09:00:00', '2026-01-05T09:00:00+00:00'],
		['Europe/Berlin', '0001-01-01', '00:00:00', '0001-01-01T00:00:00+00:53'],
		['Europe/Berlin', '2024-02-29', '12:00:00', '2024-02-29T12:00:00+01:00'],
		['America/New_York', '9999-12-31', '23:59:59', '9999-12-31T23:59:59-05:00'],
	])('When it is %s, %s at %s, then it is %s', (zone, on, at, expected) => {
		expect(startsAt(zone, on, at)).toBe(expected);
	});

	test('When a slot runs past midnight, then it ends as many days later as its dates are apart', () => {
		const night = { start_time: '2026-01-05 22:00:00', end_time: '2026-01-07 06:00:00' };
		expect(occurrenceOn('2026-10-24', 'Europe/Berlin', night)).toEqual({
			starts_at: '2026-10-24T22:00:00+02:00',
			ends_at: '2026-10-26T06:00:00+01:00',
		});
		expect(occurrenceOn('2024-02-28', 'UTC', night).ends_at).toBe('2024-03-01T06:00:00+00:00');
		expect(occurrenceOn('9999-12-31', 'UTC', night).ends_at).toBe('+010000-01-02T06:00:00+00:00');
	});
});

describe('S9: the end of an occurrence', () => {
	const zones = [...Intl.supportedValuesOf('timeZone').filter(isTimeZone), 'Pacific/Kwajalein', 'Pacific/Apia'];
	const lengthOf = ({ start_time, end_time }: WallClock) => Date.parse(`${end_time}Z`) - Date.parse(`${start_time}Z`);
	const minutes = (count: number) => new Date(count * 60_000).toISOString().slice(0, 19).replace('T', ' ');

	/** Wherever the wall clock says that it ends after it starts, it ends there; else it keeps its length. */
	const expectAnEnd = (zone: string, on: string, slot: WallClock) => {
		const { starts_at, ends_at } = occurrenceOn(on, zone, slot);
		const [start, end] = [Date.parse(starts_at), Date.parse(ends_at)];
		const nights = daysBetween(slot.start_time.slice(0, 10), slot.end_time.slice(0, 10));
		const byTheWall = placesOf(zone, `${addDays(on, nights)} ${slot.end_time.slice(11)}`);
		expect([zone, on, slot, end]).toEqual([zone, on, slot, byTheWall > start ? byTheWall : start + lengthOf(slot)]);
		expect(end).toBeGreaterThan(start);
		expect(ends_at.slice(0, 19).replace('T', ' ')).toBe(wallClock(zone, end));
	};
	const slots = fc
		.tuple(fc.integer({ min: 0, max: 24 * 60 - 1 }), fc.constantFrom(1, 5, 15, 30, 60, 90, 180, 600, 1_439, 2_880))
		.map(([start, length]) => ({ start_time: minutes(start), end_time: minutes(start + length) }));

	test('When a slot lies near any change of the clocks of any zone, then it ends after it starts', () => {
		const year = fc.integer({ min: 1970, max: 2036 });
		fc.assert(
			fc.property(fc.constantFrom(...zones), year, fc.nat(), slots, (zone, inYear, pick, slot) => {
				const near = changes(zone, inYear);
				fc.pre(near.length > 0);
				expectAnEnd(zone, near[pick % near.length]!, slot);
			}),
			{ numRuns: 150 },
		);
	});

	test('When every quarter of the day that a zone skips or repeats starts a slot, then the same holds', () => {
		for (const [zone, on] of [
			['Europe/Berlin', '2026-03-29'],
			['Europe/Berlin', '2026-10-25'],
			['Australia/Lord_Howe', '2026-10-04'],
			['America/Sao_Paulo', '2018-11-04'],
			['America/Havana', '2026-03-08'],
			['Asia/Gaza', '2011-04-01'],
			['Pacific/Apia', '2011-12-29'],
			['Pacific/Apia', '2011-12-30'],
			['Pacific/Kwajalein', '1993-08-20'],
			['Pacific/Kwajalein', '1993-08-21'],
			['Asia/Pyongyang', '2018-05-04'],
			['Antarctica/Troll', '2026-03-29'],
		] as const) {
			for (let start = 0; start < 24 * 60; start += 15) {
				for (const length of [15, 60, 1_440]) {
					expectAnEnd(zone, on, { start_time: minutes(start), end_time: minutes(start + length) });
				}
			}
		}
	});

	test.each([
		['Europe/Berlin', '2026-03-29', '02:30', '03:00', '2026-03-29T03:30:00+02:00', '2026-03-29T04:00:00+02:00'],
		['Europe/Berlin', '2026-03-29', '02:00', '03:00', '2026-03-29T03:00:00+02:00', '2026-03-29T04:00:00+02:00'],
		['Europe/Berlin', '2026-03-29', '02:00', '02:45', '2026-03-29T03:00:00+02:00', '2026-03-29T03:45:00+02:00'],
		['Europe/Berlin', '2026-03-29', '02:30', '04:00', '2026-03-29T03:30:00+02:00', '2026-03-29T04:00:00+02:00'],
		['Australia/Lord_Howe', '2026-10-04', '02:15', '02:45', '2026-10-04T02:45:00+11:00', '2026-10-04T03:15:00+11:00'],
	])('When in %s on %s it is from %s to %s, then it is from %s to %s', (zone, on, start, end, starts_at, ends_at) => {
		const slot = { start_time: `2026-01-04 ${start}:00`, end_time: `2026-01-04 ${end}:00` };
		expect(occurrenceOn(on, zone, slot)).toEqual({ starts_at, ends_at });
	});
});

describe('plain dates', () => {
	const anyDate = fc
		.integer({ min: -719_162, max: 2_932_896 }) // 0001-01-01 to 9999-12-31
		.map((day) => new Date(day * 86_400_000).toISOString().slice(0, 10));

	test('When days are added, then they are between both dates, and the day of the week moves as far', () => {
		fc.assert(
			fc.property(anyDate, anyDate, (from, to) => {
				const days = daysBetween(from, to);
				expect(addDays(from, days)).toBe(to);
				expect(dayOfWeek(to)).toBe((((dayOfWeek(from) + days) % 7) + 7) % 7);
			}),
		);
	});

	test('When a text is a date of the calendar, then it is real, and else it is not', () => {
		const lengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
		const part = (max: number) => fc.integer({ min: 0, max });
		fc.assert(
			fc.property(part(9999), part(14), part(33), (year, month, day) => {
				const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
				const longest = month === 2 && leap ? 29 : lengths[month - 1];
				const real = year > 0 && longest !== undefined && day >= 1 && day <= longest;
				expect(isRealDate(`${String(year).padStart(4, '0')}-${two(month)}-${two(day)}`)).toBe(real);
			}),
			{ numRuns: 2_000 },
		);
		for (const text of [
			'',
			'2026-1-05',
			'2026-01-05 ',
			'2026-01-05\n',
			'+002026-01-05',
			'２０２６-01-05',
			'2026/01/05',
		]) {
			expect(isRealDate(text)).toBe(false);
		}
	});

	test('When a text is a real date and time of day, then it is a real local date-time', () => {
		for (const text of ['2026-01-05 00:00:00', '2024-02-29 23:59:59']) expect(isRealLocalDateTime(text)).toBe(true);
		for (const text of [
			'2026-02-29 00:00:00',
			'2026-01-05 24:00:00',
			'2026-01-05 23:60:00',
			'2026-01-05 23:59:60',
			'2026-01-05T09:00:00',
			'2026-01-05 9:00:00',
			'2026-01-05 09:00',
			'2026-01-05 09:00:00Z',
		]) {
			expect(isRealLocalDateTime(text)).toBe(false);
		}
	});

	test('When years pass, leap years and others, then each date follows the one before', () => {
		for (const [from, to] of [
			['1899-12-30', '1904-03-02'],
			['2099-02-27', '2101-01-01'],
		] as const) {
			const dates = datesBetween(from, to);
			expect(dates).toHaveLength(daysBetween(from, to) + 1);
			expect(dates.filter((date, at) => at > 0 && addDays(dates[at - 1]!, 1) !== date)).toEqual([]);
		}
	});

	test('When dates end with the calendar, then nothing goes on for ever', () => {
		expect(datesBetween('9999-12-30', '9999-12-31')).toEqual(['9999-12-30', '9999-12-31']);
		expect(datesBetween('2026-01-02', '2026-01-01')).toEqual([]);
		expect(() => addDays('9999-12-31', 1)).toThrow(RangeError);
		expect(() => addDays('0001-01-01', -1)).toThrow(RangeError);
	});

	test('When a day of the week is named, then 0 is Sunday', () => {
		expect(weekdayName(dayOfWeek('2026-03-14'))).toBe('Saturday');
		expect(weekdayName(0)).toBe('Sunday');
		expect(() => weekdayName(7)).toThrow(RangeError);
	});
});

describe('time zones', () => {
	test.each(['Europe/Berlin', 'Asia/Calcutta', 'Asia/Kolkata', 'UTC', 'Etc/GMT+5', 'EST', 'GB-Eire', 'Europe/Kyiv'])(
		'When the name is %s, then it is one',
		(name) => expect(isTimeZone(name)).toBe(true),
	);
	test.each([
		'',
		'Mars/Base',
		'+02:00',
		'-0200',
		'GMT+2',
		'PST',
		'europe/berlin',
		'utc',
		'Z',
		'SystemV/PST8PDT',
		'A'.repeat(99),
	])('When the name is %j, then it is none', (name) => expect(isTimeZone(name)).toBe(false));
});
