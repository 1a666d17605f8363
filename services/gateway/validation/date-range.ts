import { daysBetween } from '../../../shared/calendar/plain-date.ts';
import type { Faults } from './faults.ts';

/**
 * Adds a fault of its last date where a range ends before it begins, or is longer than `most` days.
 * @param range its first and its last date by their fields' names, in this order
 */
export function checkDateRange(range: Record<string, string>, most: number, faults: Faults): void {
	const [[first, from], [last, to]] = Object.entries(range) as [[string, string], [string, string]];
	const days = daysBetween(from, to) + 1;
	if (days < 1) faults.add(last, 'contradiction', `must not be before ${first}`);
	if (days > most) faults.add(last, 'out_of_range', `must be at most ${most - 1} days after ${first}`);
}
