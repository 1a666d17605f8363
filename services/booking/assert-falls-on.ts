import { dayOfWeek, weekdayName } from '../../shared/calendar/plain-date.ts';
import { ApiError } from '../../shared/contract/errors.ts';
import type { TimeSlot } from '../../shared/contract/schemas/time-slot.ts';

/** @throws invalid_request where the date is not on the slot's day of the week */
export function assertFallsOn(slot: TimeSlot, date: string): void {
	const day = dayOfWeek(date);
	if (day === slot.day_of_week) return;
	const text = `date: ${date} is a ${weekdayName(day)}, time slot ${slot.id} is on ${weekdayName(slot.day_of_week)}s`;
	throw new ApiError('invalid_request', text);
}
