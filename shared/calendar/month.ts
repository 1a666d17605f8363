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
