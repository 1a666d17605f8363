import { isDeepStrictEqual } from 'node:util';
import type { NewEvent, SlotInZone } from '../../../shared/contract/actions.ts';
import type { Booking } from '../../../shared/contract/schemas/booking.ts';
import type { BookingEventType, Previous } from '../../../shared/contract/schemas/event.ts';
import { timestamp } from '../../../shared/engine/clock.ts';
import { randomBase62 } from '../../../shared/engine/ids.ts';
import type { Lease } from '../../../shared/lock/fair-lock.ts';
import { traceOfEvent } from '../../../shared/tracing/tracing.ts';
import type { Deadline } from '../../../shared/work/deadline.ts';
import { type BookingDocument, type OutboxEntry, type PromisedBooking, toBooking } from './booking.model.ts';
import { promisedFields } from './promised.ts';
import { deletedFields, heldKeys, heldUntil, keysAtCreation, releasedFields } from './states.ts';

/** Fields that a write sets. What is in `outbox` is added to what is there; `write_id` is how its writer knows it again. */
export type BookingUpdate = Partial<BookingDocument> & Pick<BookingDocument, 'write_id'>;

export interface UpdateOptions {
	/** How many changes it makes at once, each with its event in the outbox; default 1 */
	versions?: number;
	/** Before its end the write is to end. */
	lease?: Lease | undefined;
	/** After it nothing is written any more; where there is none, a lost answer is settled all the same */
	deadline?: Deadline;
}

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
	type: BookingEventType,
	now: number,
): PreparedUpdate {
	const held_until = heldUntil({ ...before, ...fields });
	const update = {
		...fields,
		...(held_until !== (before.held_until ?? 0) && { held_until }),
		updated_at: changedAt(before, now),
		relay_at: before.relay_at > 0 ? before.relay_at : now,
		write_id: randomBase62(12),
	};
	const after: PromisedBooking = { ...before, ...update, version: before.version + 1 };
	const event = { ...eventOf(type, after, toBooking(before)), ...keyChanges(before, after) };
	const outbox = [...unwritten(before), event];
	after.outbox = [...before.outbox, ...outbox]; // at most: the relay may have delivered the earlier ones meanwhile
	return { update: { ...update, outbox }, after };
}

/** The moment of a change, which no clock takes before the one of the change that was there: who asks for later ones sees it. */
export function changedAt(before: Pick<BookingDocument, 'updated_at'>, now: number): string {
	return timestamp(Math.max(now, Date.parse(before.updated_at)));
}

/** Events that left their data to the booking, with what it is before it changes. */
function unwritten(before: PromisedBooking): OutboxEntry[] {
	const entries = waitingEvents(before.outbox).filter(({ id, data }) => id !== undefined && data === undefined);
	return entries.map((entry) => ({ ...rendered(before, entry), took: takenBy(entry, before) }));
}

function keyChanges(before: BookingDocument, after: BookingDocument): Pick<OutboxEntry, 'took' | 'gave_up'> {
	const [had, has] = [heldKeys(before), heldKeys(after)];
	const took = has.filter((key) => !had.includes(key));
	const gave_up = had.filter((key) => !has.includes(key));
	return { ...(took.length > 0 && { took }), ...(gave_up.length > 0 && { gave_up }) };
}

/** What an event's change took; a creation that left its data to the booking left this to it, too. */
export function takenBy({ type, data, took = [] }: OutboxEntry, document: BookingDocument): string[] {
	return type === 'booking.created' && data === undefined ? keysAtCreation(document) : took;
}

/** What waits in an outbox: of an event that was without its data until the booking changed, only the entry that has it. */
export function waitingEvents(outbox: readonly OutboxEntry[]): OutboxEntry[] {
	const written = new Set(outbox.filter(({ data }) => data !== undefined).map(({ id }) => id));
	return outbox.filter(({ id, data }) => data !== undefined || !written.has(id));
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

/**
 * The event of a creation. Its data is the booking itself as long as nothing changes it, which is mostly until it is in the log:
 * so a creation writes half as much.
 */
export function creationOf({ _id, version, updated_at }: BookingDocument): OutboxEntry {
	return { id: eventId(_id, version), type: 'booking.created', timestamp: updated_at, ...traceOfEvent() };
}

/** One change, one event: the same id on every delivery. */
function eventId(booking_id: number, version: number): string {
	return `evt_${booking_id}_${version}`;
}

/** The id of the event of an entry: a deletion along with the service leaves it to the booking. */
export function idOf(entry: OutboxEntry, { _id, version }: Pick<BookingDocument, '_id' | 'version'>): string {
	return entry.id ?? eventId(_id, version);
}

function versionOf(eventId: string): number {
	return Number(eventId.slice(eventId.lastIndexOf('_') + 1));
}

/** The event of a change: the booking as the API would show it right after. @param before as it would have shown it before */
export function eventOf(type: BookingEventType, after: PromisedBooking, before?: Booking): OutboxEntry {
	const data = toBooking(after);
	return {
		id: eventId(after._id, after.version),
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
 * An outbox entry as the event log takes it. Creations, and the removal of a whole service's bookings, leave the rendering to here.
 * @param slot from the closure's mark, for a booking that does not say what it was promised
 * @returns undefined where the entry is not rendered yet, and there is no slot for it
 */
export function toNewEvent(
	document: BookingDocument,
	entry: OutboxEntry,
	slot: SlotInZone | undefined,
): NewEvent | undefined {
	const { account_id } = document;
	const { took: _took, gave_up: _gave_up, turn: _turn, ...told } = entry;
	if (told.data !== undefined) return { ...(told as Told), previous: told.previous ?? {}, account_id };
	const promised = document.promised ?? (slot && promisedFields(slot, document.date).promised);
	if (promised === undefined) return undefined;
	return { ...(rendered({ ...document, promised }, told) as Told), account_id };
}

type Told = Required<Omit<OutboxEntry, 'took' | 'gave_up' | 'turn'>>;

/** Of a booking that changed since only with its service's removal, which nothing shows but version and time. */
function rendered(document: PromisedBooking, entry: OutboxEntry): OutboxEntry {
	const version = entry.id === undefined ? document.version : versionOf(entry.id);
	return { ...eventOf(entry.type, { ...document, version, updated_at: entry.timestamp }), ...entry };
}
