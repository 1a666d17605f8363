import type { AvailabilityEntry } from '../api/shapes.ts';
import { longDate, span } from '../times.ts';

/** How full an occurrence is, in steps that have a colour and a word each */
export const FILLS = {
	free: 'Free',
	some: 'Some booked',
	most: 'Nearly full',
	full: 'Full',
	closed: 'Closed',
} as const;
export type Fill = keyof typeof FILLS;

export function fillOf({ booked, max_bookings, remaining }: AvailabilityEntry): Fill {
	if (max_bookings === 0) return 'closed';
	if (remaining === 0) return 'full';
	if (booked === 0) return 'free';
	return booked * 3 >= max_bookings * 2 ? 'most' : 'some';
}

/** Why an occurrence cannot be booked */
export const REASONS = { full: 'full', closed: 'closed', notice: 'too late to book', horizon: 'too early to book' };

/** `Monday 23 November 2026, 09:00 – 10:00, 3 of 4 booked, full` */
export function spoken(entry: AvailabilityEntry): string {
	const reason = entry.reason === null ? '' : `, ${REASONS[entry.reason]}`;
	return `${longDate(entry.date)}, ${span(entry)}, ${entry.booked} of ${entry.max_bookings} booked${reason}`;
}
