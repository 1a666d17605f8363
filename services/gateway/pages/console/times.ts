/*
 * Times of occurrences are wall-clock times of their service, which the API gives with its offset: what stands before the
 * offset is what the clock there shows, wherever this browser is. Other timestamps are UTC, and shown by the browser's clock.
 */

const DAY = 86_400_000;

function format(options: Intl.DateTimeFormatOptions): (date: string) => string {
	const formatter = new Intl.DateTimeFormat('en-GB', { ...options, timeZone: 'UTC' });
	return (date) => formatter.format(new Date(`${date.slice(0, 10)}T00:00:00Z`));
}

/** Monday 23 November 2026 */
export const longDate = format({ weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' });
/** Mon 23 Nov 2026 */
export const shortDate = format({ weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' });

/** What the clock of the service shows: `2026-11-23T09:00:00` */
export function wallTime(moment: string): string {
	return moment.slice(0, 19);
}

/** 09:00 */
export function clock(moment: string): string {
	return moment.slice(11, 16);
}

/** 09:00 – 10:00 */
export function span({ starts_at, ends_at }: { starts_at: string; ends_at: string }): string {
	return `${clock(starts_at)} – ${clock(ends_at)}`;
}

const timestamps = new Intl.DateTimeFormat('en-GB', {
	day: 'numeric',
	month: 'short',
	year: 'numeric',
	hour: '2-digit',
	minute: '2-digit',
	timeZoneName: 'short',
});

/** 23 Nov 2026, 10:12 CET, by the clock of this browser */
export function localMoment(timestamp: string): string {
	return timestamps.format(new Date(timestamp));
}

/** Today, by the clock of a time zone */
export function today(timezone: string): string {
	return now(timezone).slice(0, 10);
}

/** Now, by the clock of a time zone: `2026-11-23T09:12:00`; by UTC where this browser is older than the zone */
export function now(timezone: string): string {
	try {
		const options = { timeZone: timezone, dateStyle: 'short', timeStyle: 'medium' } as const;
		return new Intl.DateTimeFormat('sv-SE', options).format(new Date()).replace(' ', 'T');
	} catch {
		return new Date().toISOString().slice(0, 19);
	}
}

export function addDays(date: string, days: number): string {
	return new Date(Date.parse(`${date}T00:00:00Z`) + days * DAY).toISOString().slice(0, 10);
}

export function minutesBetween(start: string, end: string): number {
	return (Date.parse(end) - Date.parse(start)) / 60_000;
}

/** 0 is Sunday, as in the API */
export function weekday(date: string): number {
	return new Date(`${date}T00:00:00Z`).getUTCDay();
}

export const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const;
