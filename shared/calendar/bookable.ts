import { dayOfWeek } from './plain-date.ts';

/*
 * What can be booked. Creations, moves, returns and availability all ask here, so they never say different things. The first
 * refusal in this order is the one that is told: the date (`dateRefusal`), then a duplicate, which only the booking that is to
 * be made can tell, then the places (`placeRefusal`).
 */

/** What decides whether a slot can be booked on a date, beside the bookings that are there. */
export interface Terms {
	day_of_week: number;
	/** First and last date; null: any */
	valid_from: string | null;
	valid_until: string | null;
}

export type DateRefusal = 'wrong_weekday' | 'not_yet_valid' | 'no_longer_valid';
export type PlaceRefusal = 'closed' | 'full';

/** Why a slot is not to be had on a date, however many places are left; null where it is. */
export function dateRefusal({ day_of_week, valid_from, valid_until }: Terms, date: string): DateRefusal | null {
	if (dayOfWeek(date) !== day_of_week) return 'wrong_weekday';
	if (valid_from !== null && date < valid_from) return 'not_yet_valid';
	if (valid_until !== null && date > valid_until) return 'no_longer_valid';
	return null;
}

/**
 * Why an occurrence takes no further booking; null where it does.
 * @param max the maximum on the date, 0 to 10,000
 * @param active bookings that hold a seat, those above a lowered maximum included
 */
export function placeRefusal(max: number, active: number): PlaceRefusal | null {
	if (max === 0) return 'closed';
	return room(max, active) === 0 ? 'full' : null;
}

/** How many more bookings an occurrence takes. */
export function room(max: number, active: number): number {
	return Math.max(0, max - active);
}
