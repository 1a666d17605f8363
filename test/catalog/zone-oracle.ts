const HOUR = 3_600_000;
const formats = new Map<string, Intl.DateTimeFormat>();

/** What a clock on the wall shows in the zone, `YYYY-MM-DD HH:MM:SS`, by the platform alone. */
export function wallClock(zone: string, ms: number): string {
	let format = formats.get(zone);
	if (!format) {
		const digits = {
			year: 'numeric',
			month: '2-digit',
			day: '2-digit',
			hour: '2-digit',
			minute: '2-digit',
			second: '2-digit',
		} as const;
		format = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, hourCycle: 'h23', ...digits });
		formats.set(zone, format);
	}
	return format.format(ms);
}

/**
 * Where a wall-clock time lies, found by trying every offset that the zone has around it: the first moment at which the
 * clock shows it; where it shows it never, as far after the gap's start as the clock would have been without the gap.
 */
export function placesOf(zone: string, local: string): number {
	const utc = Date.parse(`${local.replace(' ', 'T')}Z`);
	const offsets = new Set<number>();
	for (let ms = utc - 40 * HOUR; ms <= utc + 40 * HOUR; ms += HOUR) {
		offsets.add(Date.parse(`${wallClock(zone, ms).replace(' ', 'T')}Z`) - ms);
	}
	const candidates = [...offsets].map((offset) => utc - offset);
	const shown = candidates.filter((ms) => wallClock(zone, ms) === local);
	return shown.length > 0 ? Math.min(...shown) : Math.max(...candidates);
}
