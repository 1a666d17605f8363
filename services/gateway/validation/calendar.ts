const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const LOCAL_DATE_TIME = /^(\d{4}-\d{2}-\d{2}) ([01]\d|2[0-3]):[0-5]\d:[0-5]\d$/;
const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const MS_PER_DAY = 86_400_000;

/** `YYYY-MM-DD` that is in the Gregorian calendar, from year 0001. */
export function isRealDate(text: string): boolean {
	const match = DATE.exec(text);
	if (match === null) return false;
	const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
	return year >= 1 && month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month);
}

/** `YYYY-MM-DD HH:MM:SS` whose date is real, from 00:00:00 to 23:59:59. */
export function isRealLocalDateTime(text: string): boolean {
	const match = LOCAL_DATE_TIME.exec(text);
	return match !== null && isRealDate(match[1]!);
}

/** Days from one real date to another; negative where `to` is earlier. */
export function daysBetween(from: string, to: string): number {
	return (Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / MS_PER_DAY;
}

function daysIn(year: number, month: number): number {
	const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
	return month === 2 && isLeap ? 29 : DAYS[month - 1]!;
}
