import { setTimeout as delay } from 'node:timers/promises';
import type { IfMatch, Scoped } from '../../shared/actions.ts';
import type { EventType } from '../../shared/api/event.ts';
import type { TimeSlot } from '../../shared/api/time-slot.ts';
import { timestamp } from '../../shared/clock.ts';
import { customerIdentity } from '../../shared/customer-identity.ts';
import type { Deadline } from '../../shared/deadline.ts';
import { ApiError } from '../../shared/errors.ts';
import { randomBase62, randomIndex } from '../../shared/ids.ts';
import { assertVersion } from '../../shared/version.ts';
import { type BookingDocument, filler } from './booking.model.ts';
import { type Change, outboxAfter } from './booking-store.ts';
import { customerKeyOf, placeOf } from './capacity.ts';
import { ChangedPlace, StaleBooking } from './changed-place.ts';
import type { BookingEngine } from './dependencies.ts';
import { eventOf } from './events.ts';

export interface ChangeRequest extends Scoped {
	booking_id: number;
	if_match?: IfMatch;
	/** `version` of the request's body */
	expected?: number;
}

/** What a change does: the fields that it sets, the event that tells of it. Places and keys follow from the fields. */
export interface PlannedChange {
	set: Partial<Pick<BookingDocument, 'date' | 'status' | 'cancel_reason' | 'message' | 'customer' | 'email_key'>>;
	event: EventType;
}

/** A booking and its slot, as they are now. */
export interface Subject {
	booking: BookingDocument;
	slot: TimeSlot;
}

/**
 * Changes one booking: in its queue, as it is now, and again where another process was faster.
 * @param plan decides what to do with the booking as it is; null where nothing changes
 * @throws booking_not_found, version_mismatch, version_conflict, and, where it claims a place, time_slot_full and
 *   duplicate_booking
 */
export function changeBooking(
	engine: BookingEngine,
	request: ChangeRequest,
	deadline: Deadline,
	plan: (subject: Subject) => PlannedChange | null,
): Promise<Subject> {
	return engine.changes.run(request.booking_id, async () => {
		for (let attempt = 1; ; attempt++) {
			if (attempt > 1) await delay(randomIndex(4 * attempt));
			deadline.assertTimeLeft();
			const subject = await findSubject(engine, request);
			assertVersion(subject.booking.version, request.if_match, request.expected);
			const planned = plan(subject);
			if (planned === null) return subject;
			const changed = await apply(engine, subject, planned, deadline);
			if (changed === undefined) continue;
			engine.relay.send(changed.booking);
			return changed;
		}
	});
}

/** @throws booking_not_found, also while the booking's service is being deleted */
export async function findSubject(
	{ store, slots }: Pick<BookingEngine, 'store' | 'slots'>,
	{ account_id, booking_id }: { account_id: string; booking_id: number },
): Promise<Subject> {
	const booking = await store.find(account_id, booking_id);
	if (booking === null) throw new ApiError('booking_not_found');
	const slot = await slots.ask({ account_id, time_slot_id: booking.time_slot_id });
	if (slot === null) throw new ApiError('booking_not_found');
	return { booking, slot };
}

/** One write. @returns undefined where the booking changed meanwhile: it is read again */
async function apply(
	engine: BookingEngine,
	{ booking, slot }: Subject,
	planned: PlannedChange,
	deadline: Deadline,
): Promise<Subject | undefined> {
	const after = { ...booking, ...planned.set };
	if (claimsPlace(booking, after)) {
		const claim = new ChangedPlace(engine.store, booking, planned, deadline);
		try {
			await engine.places.claim(claim);
		} catch (error) {
			if (error instanceof StaleBooking) return undefined;
			throw error;
		}
		return claim.result;
	}
	const { change, result } = completeChange(engine.store.clock.now(), booking, slot, planned, keysOf(booking, after));
	const outcome = await engine.store.update(booking, change);
	if (outcome === 'taken' && (await engine.store.hasCustomer(booking.account_id, customerKey(result)))) {
		// Only the customer's key can be another booking's: no place was claimed.
		throw new ApiError('duplicate_booking');
	}
	return outcome === 'written' ? { booking: result, slot } : undefined;
}

/** Becoming active, or moving while active, claims a place; the old one is given up in the same write. */
function claimsPlace(before: BookingDocument, after: BookingDocument): boolean {
	if (after.status === 'cancelled') return false;
	return before.status === 'cancelled' || before.date !== after.date;
}

/** The keys that change where no place is claimed: cancelling gives all up, another address has another key. */
function keysOf(before: BookingDocument, after: BookingDocument): Change {
	if (after.status !== 'cancelled')
		return after.customer === before.customer ? {} : { customer_key: customerKey(after) };
	const free = filler(before._id);
	return { place: '', seat_key: free, customer_key: free };
}

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
