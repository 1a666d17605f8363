import type { NewEvent } from '../../../shared/contract/actions.ts';
import type { EventType } from '../../../shared/contract/schemas/event.ts';
import type { TimeSlot } from '../../../shared/contract/schemas/time-slot.ts';
import { traceOfEvent } from '../../../shared/tracing/traceparent.ts';
import { type BookingDocument, type OutboxEntry, toBooking } from './booking.model.ts';

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
