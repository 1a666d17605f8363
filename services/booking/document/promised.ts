import { occurrenceOn } from '../../../shared/calendar/occurrence.ts';
import type { SlotInZone } from '../../../shared/contract/actions.ts';
import type { PromisedBooking } from './booking.model.ts';

/** Fields of a booking that takes its place on a date of a slot as it is now. */
export function promisedFields(
	{ slot, timezone }: SlotInZone,
	date: string,
): Required<Pick<PromisedBooking, 'promised' | 'starts_ms'>> {
	const moments = occurrenceOn(date, timezone, slot);
	return { promised: { ...moments, timezone, time_slot: slot }, starts_ms: Date.parse(moments.starts_at) };
}
