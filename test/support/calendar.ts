/** A Sunday; bookings may lie in the past, so a fixed date stays valid. */
const SUNDAY = Date.UTC(2027, 0, 3);
const DAY = 86_400_000;

/**
 * A date that falls on a day of the week.
 * @param dayOfWeek 0 is Sunday
 * @param week which of them, from 0
 */
export function dateOn(dayOfWeek: number, week = 0): string {
	return new Date(SUNDAY + (dayOfWeek + 7 * week) * DAY).toISOString().slice(0, 10);
}

/** `date` and a number of days, which may be negative. */
export function plusDays(date: string, days: number): string {
	return new Date(Date.parse(`${date}T00:00:00Z`) + days * DAY).toISOString().slice(0, 10);
}
