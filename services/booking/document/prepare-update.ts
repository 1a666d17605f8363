import type { NewEvent } from '../../../shared/contract/actions.ts';
import type { EventType } from '../../../shared/contract/schemas/event.ts';
import type { TimeSlot } from '../../../shared/contract/schemas/time-slot.ts';
import { timestamp } from '../../../shared/engine/clock.ts';
import { randomBase62 } from '../../../shared/engine/ids.ts';
import { traceOfEvent } from '../../../shared/tracing/tracing.ts';
import { type BookingDocument, type OutboxEntry, toBooking } from './booking.model.ts';
import { deletedFields } from './states.ts';

/** Fields that a write sets. What is in `outbox` is added to what is there; `write_id` is how its writer knows it again. */
export type BookingUpdate = Partial<BookingDocument> & Pick<BookingDocument, 'write_id'>;

export interface PreparedUpdate {
	update: BookingUpdate;
	/** The booking once the update is written */
	after: BookingDocument;
}

/**
 * One change of a booking, with its event.
 * @param now ms
 */
export function prepareUpdate(
	before: BookingDocument,
	fields: Partial<BookingDocument>,
	type: EventType,
	slot: TimeSlot,
	now: number,
): PreparedUpdate {
	const update = {
		...fields,
		updated_at: timestamp(now),
		relay_at: before.relay_at > 0 ? before.relay_at : now,
		write_id: randomBase62(12),
	};
	const after: BookingDocument = { ...before, ...update, version: before.version + 1 };
	const event = eventOf(type, after, slot);
	after.outbox = [...before.outbox, event]; // at most: the relay may have delivered the earlier ones meanwhile
	return { update: { ...update, outbox: [event] }, after };
}

/** @param now ms */
export function prepareDeletion(
	before: BookingDocument,
	slot: TimeSlot,
	now: number,
	extra: Partial<BookingDocument> = {},
): PreparedUpdate {
	const fields = { ...deletedFields(before._id, timestamp(now)), ...extra };
	return prepareUpdate(before, fields, 'booking.deleted', slot, now);
}

/** The event of a change: the booking as the API would show it right after, its slot as it was. */
export function eventOf(type: EventType, after: BookingDocument, slot: TimeSlot): OutboxEntry {
	return {
		id: `evt_${after._id}_${after.version}`, // one change, one event: the same id on every delivery
		type,
		timestamp: after.updated_at,
		data: toBooking(after, slot),
		...traceOfEvent(),
	};
}

/**
 * An outbox entry as the event log takes it.
 * @param slot from the closure's mark: the removal of a whole service's bookings leaves the rendering to here
 * @returns undefined where the entry is not rendered yet, and there is no slot for it
 */
export function toNewEvent(
	document: BookingDocument,
	entry: OutboxEntry,
	slot: TimeSlot | undefined,
): NewEvent | undefined {
	const { account_id } = document;
	if (entry.data !== undefined) return { ...(entry as Required<OutboxEntry>), account_id };
	if (slot === undefined) return undefined;
	const rendered = eventOf(entry.type, { ...document, updated_at: entry.timestamp }, slot) as Required<OutboxEntry>;
	return { ...rendered, ...entry, account_id };
}
