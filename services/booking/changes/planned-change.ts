import type { IfMatch, Scoped } from '../../../shared/contract/actions.ts';
import type { EventType } from '../../../shared/contract/schemas/event.ts';
import type { TimeSlot } from '../../../shared/contract/schemas/time-slot.ts';
import { timestamp } from '../../../shared/engine/clock.ts';
import { randomBase62 } from '../../../shared/engine/ids.ts';
import { type BookingDocument, filler } from '../document/booking.model.ts';
import { type Change, outboxAfter } from '../document/booking-store.ts';
import { customerKeyOf, placeOf } from '../document/capacity.ts';
import { eventOf } from '../document/events.ts';
import { customerIdentity } from '../document/keys.ts';

export interface ChangeRequest extends Scoped {
	booking_id: number;
	if_match?: IfMatch;
	/** `version` of the request's body */
	expected?: number;
}

/** A booking and its slot, as they are now. */
export interface Subject {
	booking: BookingDocument;
	slot: TimeSlot;
}

/** What a change does: the fields that it sets, the event that tells of it. Places and keys follow from the fields. */
export interface PlannedChange {
	set: Partial<Pick<BookingDocument, 'date' | 'status' | 'cancel_reason' | 'message' | 'customer' | 'email_key'>>;
	event: EventType;
}

/**
 * Decides what to do with a booking as it is; null where nothing changes. It throws what refuses the change.
 * @param now ms since the epoch: the moment of the change, one for all that it writes
 */
export type Plan = (subject: Subject, now: number) => PlannedChange | 'delete' | null;

/** Becoming active, or moving while active, claims a place; the old one is given up in the same write. */
export function claimsPlace(before: BookingDocument, { set }: PlannedChange): boolean {
	const after = { ...before, ...set };
	if (after.status === 'cancelled') return false;
	return before.status === 'cancelled' || before.date !== after.date;
}

/** The keys that change where no place is claimed: cancelling gives all up, another address has another key. */
export function keysOf(before: BookingDocument, { set }: PlannedChange): Change {
	const after = { ...before, ...set };
	if (after.status !== 'cancelled') return set.customer === undefined ? {} : { customer_key: customerKey(after) };
	const free = filler(before._id);
	return { place: '', counted_under: 0, seat_key: free, customer_key: free };
}

/** The key under which a booking that holds a place keeps its customer from booking it again. */
export function customerKey(booking: BookingDocument): string {
	const place = placeOf(booking.time_slot_id, booking.date);
	return customerKeyOf(place, customerIdentity(booking.customer)) ?? filler(booking._id);
}

/** The whole write of a change, and the booking as it is after it. */
export function completeChange(
	now: number,
	before: BookingDocument,
	slot: TimeSlot,
	{ set, event }: PlannedChange,
	keys: Change,
): { change: Change & { write_id: string }; result: BookingDocument } {
	const change = {
		...set,
		...keys,
		updated_at: timestamp(now),
		relay_at: before.relay_at || now,
		write_id: randomBase62(12),
	};
	const result: BookingDocument = { ...before, ...change, version: before.version + 1 };
	const entry = eventOf(event, result, slot);
	result.outbox = outboxAfter(before, entry);
	return { change: { ...change, outbox: [entry] }, result };
}
