import { isDeepStrictEqual } from 'node:util';
import type { NewEvent, SlotInZone } from '../../../shared/contract/actions.ts';
import type { Booking } from '../../../shared/contract/schemas/booking.ts';
import type { EventType, Previous } from '../../../shared/contract/schemas/event.ts';
import { timestamp } from '../../../shared/engine/clock.ts';
import { randomBase62 } from '../../../shared/engine/ids.ts';
import { traceOfEvent } from '../../../shared/tracing/tracing.ts';
import { type BookingDocument, type OutboxEntry, type PromisedBooking, toBooking } from './booking.model.ts';
import { promisedFields } from './promised.ts';
import { deletedFields, heldUntil, releasedFields } from './states.ts';

/** Fields that a write sets. What is in `outbox` is added to what is there; `write_id` is how its writer knows it again. */
export type BookingUpdate = Partial<BookingDocument> & Pick<BookingDocument, 'write_id'>;

export interface PreparedUpdate {
	update: BookingUpdate;
	/** The booking once the update is written */
	after: PromisedBooking;
}

/**
 * One change of a booking, with its event.
 * @param now ms
 */
export function prepareUpdate(
	before: PromisedBooking,
	fields: Partial<PromisedBooking>,
	type: EventType,
	now: number,
): PreparedUpdate {
	const held_until = heldUntil({ ...before, ...fields });
	const update = {
		...fields,
		...(held_until !== (before.held_until ?? 0) && { held_until }),
		updated_at: timestamp(now),
		relay_at: before.relay_at > 0 ? before.relay_at : now,
		write_id: randomBase62(12),
	};
	const after: PromisedBooking = { ...before, ...update, version: before.version + 1 };
	const event = eventOf(type, after, toBooking(before));
	after.outbox = [...before.outbox, event]; // at most: the relay may have delivered the earlier ones meanwhile
	return { update: { ...update, outbox: [event] }, after };
}

/** The end of a booking that was not confirmed in time. @param now ms, not before `held_until` */
export function prepareExpiry(before: PromisedBooking, now: number): PreparedUpdate {
	const fields = { status: 'cancelled' as const, cancel_reason: 'expired', ...releasedFields(before._id) };
	return prepareUpdate(before, fields, 'booking.cancelled', now);
}

/** @param now ms */
export function prepareDeletion(
	before: PromisedBooking,
	now: number,
	extra: Partial<PromisedBooking> = {},
): PreparedUpdate {
	const fields = { ...deletedFields(before._id, timestamp(now)), ...extra };
	return prepareUpdate(before, fields, 'booking.deleted', now);
}

/** The event of a change: the booking as the API would show it right after. @param before as it would have shown it before */
export function eventOf(type: EventType, after: PromisedBooking, before?: Booking): OutboxEntry {
	const data = toBooking(after);
	return {
		id: `evt_${after._id}_${after.version}`, // one change, one event: the same id on every delivery
		type,
		timestamp: after.updated_at,
		data,
		previous: before === undefined ? {} : previousOf(before, data),
		...traceOfEvent(),
	};
}

export function previousOf(before: Booking, after: Booking): Previous {
	const { version: _version, updated_at: _updated_at, ...shown } = { ...after, ...before };
	const names = Object.keys(shown) as (keyof typeof shown)[];
	const changed = names.filter((name) => !isDeepStrictEqual(before[name], after[name]));
	return Object.fromEntries(changed.map((name) => [name, before[name] ?? null]));
}

/**
 * An outbox entry as the event log takes it. The removal of a whole service's bookings leaves the rendering to here.
 * @param slot from the closure's mark, for a booking that does not say what it was promised
 * @returns undefined where the entry is not rendered yet, and there is no slot for it
 */
export function toNewEvent(
	document: BookingDocument,
	entry: OutboxEntry,
	slot: SlotInZone | undefined,
): NewEvent | undefined {
	const { account_id } = document;
	if (entry.data !== undefined)
		return { ...(entry as Required<OutboxEntry>), previous: entry.previous ?? {}, account_id };
	const promised = document.promised ?? (slot && promisedFields(slot, document.date).promised);
	if (promised === undefined) return undefined;
	const then = { ...document, promised, updated_at: entry.timestamp };
	const rendered = eventOf(entry.type, then) as Required<OutboxEntry>;
	return { ...rendered, ...entry, account_id };
}
