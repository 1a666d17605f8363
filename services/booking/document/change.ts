import type { NewEvent } from '../../../shared/contract/actions.ts';
import type { EventType } from '../../../shared/contract/schemas/event.ts';
import type { TimeSlot } from '../../../shared/contract/schemas/time-slot.ts';
import { timestamp } from '../../../shared/engine/clock.ts';
import { randomBase62 } from '../../../shared/engine/ids.ts';
import { traceOfEvent } from '../../../shared/tracing/tracing.ts';
import { type BookingDocument, type OutboxEntry, toBooking } from './booking.model.ts';
import { deleted } from './states.ts';

/** Fields that a change sets; what is in `outbox` is added to what is there. */
export type Change = Partial<BookingDocument>;

/** A change with all that is written along with it. */
export interface Changed {
	change: Change & { write_id: string };
	/** The booking as it is once the change is written */
	result: BookingDocument;
}

/**
 * One change of a booking: its fields, its event, and how its writer knows it again.
 * @param now ms
 */
export function changed(
	before: BookingDocument,
	fields: Change,
	type: EventType,
	slot: TimeSlot,
	now: number,
): Changed {
	const change = {
		...fields,
		updated_at: timestamp(now),
		relay_at: before.relay_at || now,
		write_id: randomBase62(12),
	};
	const result: BookingDocument = { ...before, ...change, version: before.version + 1 };
	const event = eventOf(type, result, slot);
	result.outbox = [...before.outbox, event]; // at most: the relay may have delivered the earlier ones meanwhile
	return { change: { ...change, outbox: [event] }, result };
}

/**
 * The deletion of a booking. The tombstone stays until its event is delivered and its idempotency key is 24 h old.
 * @param now ms
 * @param extra fields that are set with it
 */
export function deletion(before: BookingDocument, slot: TimeSlot, now: number, extra: Change = {}): Changed {
	const fields = { ...deleted(before._id, timestamp(now)), ...extra };
	return changed(before, fields, 'booking.deleted', slot, now);
}

/** The event of a change: the booking as the API would answer it right after, its slot as it was. */
export function eventOf(type: EventType, after: BookingDocument, slot: TimeSlot): OutboxEntry {
	return {
		id: eventId(after._id, after.version),
		type,
		timestamp: after.updated_at,
		data: toBooking(after, slot),
		...traceOfEvent(),
	};
}

/** One change, one event: the same id on every delivery. */
export function eventId(bookingId: number, version: number): string {
	return `evt_${bookingId}_${version}`;
}

/**
 * An outbox entry as the event log takes it. The removal of a whole service's bookings leaves the rendering to here,
 * with the slot from the closure's mark.
 */
export function toNewEvent(
	document: BookingDocument,
	entry: OutboxEntry,
	slot: TimeSlot | undefined,
): NewEvent | undefined {
	const { account_id } = document;
	const { traceparent } = entry;
	const trace = traceparent === undefined ? {} : { traceparent };
	if (entry.id !== undefined && entry.data !== undefined) {
		return { id: entry.id, type: entry.type, timestamp: entry.timestamp, data: entry.data, account_id, ...trace };
	}
	if (slot === undefined) return undefined;
	return {
		...(eventOf(entry.type, { ...document, updated_at: entry.timestamp }, slot) as Required<OutboxEntry>),
		account_id,
		...trace,
	};
}
