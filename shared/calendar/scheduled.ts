import { slotRefusal, type Weekly } from './bookable.ts';
import { type Moments, occurrenceOn } from './occurrence.ts';

/** Where a slot is on a date; null where it is not on that date. */
export function scheduledOn({ slot, timezone }: { slot: Weekly; timezone: string }, date: string): Moments | null {
	return slotRefusal(slot, date) === null ? occurrenceOn(date, timezone, slot) : null;
}

/** Whether what was promised is when the schedule says, whatever the offset that it is written with. */
export function isInStep(promised: Moments, scheduled: Moments | null): boolean {
	if (scheduled === null) return false;
	const isSame = (one: string, other: string) => one === other || Date.parse(one) === Date.parse(other);
	return isSame(promised.starts_at, scheduled.starts_at) && isSame(promised.ends_at, scheduled.ends_at);
}
