import type { IfMatch, Scoped, SlotNow } from '../../../shared/contract/actions.ts';
import type { BookingEventType } from '../../../shared/contract/schemas/event.ts';
import type { BookingDocument, PersonalFields, PromisedBooking } from '../document/booking.model.ts';
import { customerKey, filler } from '../document/keys.ts';
import { releasedFields } from '../document/states.ts';

export interface ChangeRequest extends Scoped {
	booking_id: number;
	if_match?: IfMatch;
	/** `version` of the request's body */
	expected?: number;
	/** The slot that the plan looks at, as it is now: the booking's own, or the one with this id; none where it is left out */
	slot?: number | 'its own';
	/** Whether the rules of the service are set aside */
	ignoresRules?: boolean;
}

/** Where and when a booking is */
type Placement = 'date' | 'time_slot_id' | 'service_id' | 'listed_under' | 'promised' | 'starts_ms';

/** What a change does: the fields that it sets, the event that tells of it. Seat and keys follow from the fields. */
export interface PlannedChange {
	set: Partial<Pick<PromisedBooking, Placement | 'status' | 'expires_at'> & Omit<PersonalFields, 'outbox'>>;
	event: BookingEventType;
}

/** A booking as it is, and what its request looks at beside it. */
export interface Current {
	booking: PromisedBooking;
	/** Slots as they are now, by id: those that requests look at; null where there is none */
	slots: ReadonlyMap<number, SlotNow | null>;
}

/**
 * Decides what to do with a booking as it is; null where nothing changes. It throws what refuses the change.
 * @param now ms since the epoch: the moment of the change, one for all that it writes
 */
export type Plan = (current: Current, now: number) => PlannedChange | 'delete' | null;

/** Becoming active, or moving while active, claims a seat; the old one is given up in the same write. */
export function claimsSeat(before: BookingDocument, { set }: PlannedChange): boolean {
	const after = { ...before, ...set };
	if (after.status === 'cancelled') return false;
	return before.status === 'cancelled' || isMoved(before, after);
}

export function isMoved(before: BookingDocument, after: BookingDocument): boolean {
	return before.date !== after.date || before.time_slot_id !== after.time_slot_id;
}

/** What changes of a booking's keys where it claims no seat: cancelling gives all up, another address has another key. */
export function keysOf(before: BookingDocument, { set }: PlannedChange): Partial<PromisedBooking> {
	const after = { ...before, ...set };
	if (after.status === 'cancelled') return releasedFields(before._id);
	return set.customer === undefined ? {} : { customer_key: customerKey(after) ?? filler(before._id) };
}
