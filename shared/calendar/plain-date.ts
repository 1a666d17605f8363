const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const LOCAL_DATE_TIME = /^(\d{4}-\d{2}-\d{2}) (?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d$/;
const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/;
const DAY = 86_400_000; // ms: days without a time zone are all of one length
const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const;

/** Whether `text` is a date of the Gregorian calendar, `YYYY-MM-DD`, from 0001-01-01 to 9999-12-31. */
export function isRealDate(text: string): boolean {
	if (!DATE.test(text) || text.startsWith('0000')) return false;
	const ms = toMs(text);
	return !Number.isNaN(ms) && toText(ms) === text; // `Date` takes a 30 February for the 2 March
}

/** Whether `text` is a real date and wall-clock time, `YYYY-MM-DD HH:MM:SS`, from 00:00:00 to 23:59:59. */
export function isRealLocalDateTime(text: string): boolean {
	const match = LOCAL_DATE_TIME.exec(text);
	return match !== null && isRealDate(match[1]!);
}

/** Whether `text` is a moment, ISO 8601 with seconds and an offset or `Z`. */
export function isMoment(text: string): boolean {
	return MOMENT.test(text) && isRealDate(text.slice(0, 10)) && !Number.isNaN(Date.parse(text));
}

/**
 * @param date a real date
 * @returns 0 (Sunday) to 6 (Saturday)
 */
export function dayOfWeek(date: string): number {
	return new Date(toMs(date)).getUTCDay();
}

/** @param day 0 (Sunday) to 6 (Saturday) */
export function weekdayName(day: number): string {
	const name = WEEKDAYS[day];
	if (name === undefined) throw new RangeError(`${day} is no day of the week`);
	return name;
}

/**
 * @param date a real date
 * @param days integer, also negative
 * @throws RangeError where the result is outside 0001-01-01 to 9999-12-31, for it would not compare as a text any more
 */
export function addDays(date: string, days: number): string {
	const result = toText(toMs(date) + days * DAY);
	if (!isRealDate(result)) throw new RangeError(`${date} and ${days} days is out of range`);
	return result;
}

/** Days from one date to another; negative where `to` is earlier. */
export function daysBetween(from: string, to: string): number {
	return (toMs(to) - toMs(from)) / DAY;
}

/** Every date from one to another, both included; none where `to` is earlier. */
export function datesBetween(from: string, to: string): string[] {
	const dates: string[] = [];
	const end = toMs(to);
	let date = from;
	for (let ms = toMs(from); ms <= end; ms += DAY) {
		dates.push(date);
		const next = Number(date.slice(-2)) + 1;
		// Every month has 28 days; to make a text of a moment costs ten times as much.
		date = next <= 28 ? `${date.slice(0, -2)}${next < 10 ? '0' : ''}${next}` : toText(ms + DAY);
	}
	return dates;
}

function toMs(date: string): number {
	return Date.parse(`${date}T00:00:00Z`);
}

function toText(ms: number): string {
	return new Date(ms).toISOString().slice(0, -14); // without `T00:00:00.000Z`
}

/** The month that was asked for last. Every request asks, and nearly always for the same. */
let latest = { month: '', start: 0, end: 0 };

/** `YYYY-MM` in UTC: what is used counts in the month of its use (contract §7). */
export function monthOf(ms: number): string {
	if (!(ms >= latest.start && ms < latest.end)) {
		const month = new Date(ms).toISOString().slice(0, 7);
		latest = { month, ...boundsOf(month) };
	}
	return latest.month;
}

/** Whether `text` is a month of the years 0001 to 9999. */
export function isMonth(text: string): boolean {
	return /^\d{4}-(0[1-9]|1[0-2])$/.test(text) && !text.startsWith('0000');
}

/**
 * The first moment of a month and of the next one, in ms.
 * @param month `YYYY-MM`
 */
export function boundsOf(month: string): { start: number; end: number } {
	const start = new Date(`${month}-01T00:00:00.000Z`);
	return { start: start.getTime(), end: Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1) };
}

/** Whole seconds until the next month in UTC, 1 or more. @param at ms since the epoch */
export function secondsLeftOfMonth(at: number): number {
	return Math.ceil((boundsOf(monthOf(at)).end - at) / 1000);
}
