import { DateTime, IANAZone } from 'luxon';
import { occurrenceOn, type WallClock } from './occurrence.ts';
import { addDays, dayOfWeek, daysBetween } from './plain-date.ts';

/*
 * What can be booked. Creations, moves, availability and alternatives all ask here, so they never say different things. The
 * first refusal in this order is the one that is told: the date (`slotRefusal`, then `windowRefusal`), then a duplicate, which
 * only the booking that is to be made can tell, then the places (`placeRefusal`).
 */

/** A slot, as far as it tells on which dates it is. */
export interface Weekly extends WallClock {
	day_of_week: number;
	/** First and last date; null: any */
	valid_from: string | null;
	valid_until: string | null;
}

/** Of a service; null: none */
export interface BookingRules {
	min_notice_minutes: number | null;
	max_advance_days: number | null;
}

/** What decides whether a slot can be booked on a date, beside the bookings that are there. */
export interface Terms {
	slot: Weekly;
	timezone: string;
	rules: BookingRules;
}

export type SlotRefusal = 'wrong_weekday' | 'not_yet_valid' | 'no_longer_valid';
export type WindowRefusal = 'notice' | 'horizon';
export type PlaceRefusal = 'closed' | 'full';

/** Why a slot is not to be had on a date, however many places are left; null where it is. @param now ms */
export function dateRefusal(
	{ slot, timezone, rules }: Terms,
	date: string,
	now: number,
): SlotRefusal | WindowRefusal | null {
	const starts = () => occurrenceOn(date, timezone, slot).starts_at;
	return slotRefusal(slot, date) ?? windowRefusal(windowOf(rules, timezone, now), date, starts);
}

/** Why a slot is not on a date; null where it is. */
export function slotRefusal(slot: Weekly, date: string): SlotRefusal | null {
	return dayOfWeek(date) === slot.day_of_week ? validityRefusal(slot, date) : 'wrong_weekday';
}

/** The same on a date of its day of the week. */
export function validityRefusal({ valid_from, valid_until }: Weekly, date: string): SlotRefusal | null {
	if (valid_from !== null && date < valid_from) return 'not_yet_valid';
	if (valid_until !== null && date > valid_until) return 'no_longer_valid';
	return null;
}

/** What the rules of a service leave open at one moment. */
export interface BookingWindow {
	/** ms: what starts earlier is too late to book */
	opens: number;
	/** On a later date nothing starts earlier, by whichever clocks */
	opened: string;
	/** What is on a later date is too early to book */
	last: string;
}

export const LAST_DATE = '9999-12-31';
const MINUTE = 60_000;
const DAY = 86_400_000;

/** @param now ms */
export function windowOf(rules: BookingRules, timezone: string, now: number): BookingWindow {
	const { min_notice_minutes: notice, max_advance_days: days } = rules;
	const opens = notice === null ? Number.NEGATIVE_INFINITY : now + Math.max(1, notice * MINUTE); // now, it has begun
	const opened = notice === null ? '' : new Date(opens + DAY).toISOString().slice(0, 10); // no zone is a day from UTC
	if (days === null) return { opens, opened, last: LAST_DATE };
	const today = todayIn(timezone, now);
	return { opens, opened, last: daysBetween(today, LAST_DATE) <= days ? LAST_DATE : addDays(today, days) };
}

/** The date by the clocks of a zone. @param now ms */
export function todayIn(timezone: string, now: number): string {
	return DateTime.fromMillis(now, { zone: IANAZone.create(timezone) }).toISODate()!;
}

/** @param startsAt of the slot on this date, ISO 8601; asked for only where it matters */
export function windowRefusal(
	{ opens, opened, last }: BookingWindow,
	date: string,
	startsAt: () => string,
): WindowRefusal | null {
	if (date <= opened && Date.parse(startsAt()) < opens) return 'notice';
	return date > last ? 'horizon' : null;
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

/** On a date: that of the override that holds there, or else the slot's own. */
export function maximumOf(slot: { max_bookings: number }, override: { max_bookings: number } | null): number {
	return (override ?? slot).max_bookings;
}

/** How many more bookings an occurrence takes. */
export function room(max: number, active: number): number {
	return Math.max(0, max - active);
}
