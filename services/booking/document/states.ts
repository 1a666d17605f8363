import { timestamp } from '../../../shared/engine/clock.ts';
import { type BookingDocument, NO_KEY, NO_SEAT, NOBODY, SCRUBBED } from './booking.model.ts';
import { filler, occurrenceName, seatKey } from './keys.ts';

/**
 * The states of a booking, and what it holds in each. Whoever takes a seat or gives one up takes these fields from here.
 *
 * |                                | place, counted_under | seat, customer_key | listed_under | deleted_at |
 * |--------------------------------|----------------------|--------------------|--------------|------------|
 * | active: pending, confirmed     | held                 | held               | its service  | null       |
 * | cancelled                      | released             | released           | its service  | null       |
 * | deleted                        | released             | released           | 0            | set        |
 * | deleted with its service       | as they were         | as they were       | 0            | set        |
 * | the same, once the log has it  | released             | as they were       | 0            | set        |
 *
 * A move takes all of them for another slot and date, and with another service its list, in one write.
 *
 * A pending booking may be held until a moment: then `held_until` is that of `expires_at`; in any other state it is 0 or missing.
 * From that moment on it is expired: whoever meets it cancels it (`holds/holds.ts`). Until that is written, it holds its seat. A
 * cancelled booking with `expires_at` is one that expired.
 *
 * Who is deleted along with the service keeps its place until its deletion is in the log, and whoever still asks for the place finds it
 * taken: so nobody who replays the feed counts one booking too many (ADR 6). No slot id is used again, so nobody waits for it. What an
 * earlier version deleted so has given up its place at once.
 *
 * A deleted booking stays as a tombstone for a while (`sweeper.ts`). A fence is a tombstone that never was a booking.
 */
type Holdings = Pick<BookingDocument, 'place' | 'counted_under' | 'seat' | 'customer_key'>;

/** Whether it is there, and holds a seat. */
export function isActive({ status, deleted_at }: Pick<BookingDocument, 'status' | 'deleted_at'>): boolean {
	return status !== 'cancelled' && deleted_at === null;
}

/** @param customerKey of its customer and occurrence; null where no duplicate can be told */
export function heldFields(
	{ _id, service_id, time_slot_id, date }: Pick<BookingDocument, '_id' | 'service_id' | 'time_slot_id' | 'date'>,
	seat: number,
	customerKey: string | null,
): Holdings {
	return {
		place: occurrenceName(time_slot_id, date),
		counted_under: service_id,
		seat,
		customer_key: customerKey ?? filler(_id),
	};
}

/** Of a booking that is held from now on. @param now ms */
export function holdFields(minutes: number, now: number): Required<Pick<BookingDocument, 'expires_at' | 'held_until'>> {
	const held_until = now + minutes * 60_000;
	return { expires_at: timestamp(held_until), held_until };
}

/** `held_until` of a booking in this state. */
export function heldUntil({
	status,
	deleted_at,
	expires_at,
}: Pick<BookingDocument, 'status' | 'deleted_at' | 'expires_at'>): number {
	return status === 'pending' && deleted_at === null && expires_at != null ? Date.parse(expires_at) : 0;
}

/** Whether its hold has ended, by the clock of whoever asks. @param now ms */
export function isExpired({ held_until = 0 }: Pick<BookingDocument, 'held_until'>, now: number): boolean {
	return held_until > 0 && held_until <= now;
}

/**
 * What nobody else can have while a booking has it: its seat, and its customer's one booking of the occurrence. None where it
 * holds no seat.
 */
export function heldKeys({ _id, place, counted_under, seat, customer_key }: BookingDocument): string[] {
	if (counted_under === 0) return [];
	return customer_key === filler(_id) ? [seatKey(place, seat)] : [seatKey(place, seat), customer_key];
}

/** The same of a booking as it was made, whose service may have been deleted since. */
export function keysAtCreation(document: BookingDocument): string[] {
	const { time_slot_id, date, service_id } = document;
	return heldKeys({ ...document, place: occurrenceName(time_slot_id, date), counted_under: service_id });
}

/** Of a deleted booking once the log has its deletion. */
export const UNCOUNTED = { place: '', counted_under: 0 };

export function releasedFields(id: number): Holdings {
	return { ...UNCOUNTED, seat: NO_SEAT, customer_key: filler(id) };
}

export function deletedFields(id: number, at: string) {
	return { ...releasedFields(id), listed_under: 0, deleted_at: at };
}

/** The place stays until that is told (`UNCOUNTED`), seat and customer as long as the tombstone. */
export function deletedWithServiceFields(at: string) {
	return { listed_under: 0, deleted_at: at };
}

/**
 * A tombstone with the id of a booking whose insert may still come: the late insert meets a duplicate `_id`.
 * @param at when the fence is set: from then on it is kept as long as any tombstone
 */
export function fence(booking: BookingDocument, at: string): BookingDocument {
	return {
		...booking,
		...deletedFields(booking._id, at),
		...SCRUBBED,
		customer: { ...booking.customer, ...NOBODY },
		...(booking.held_until && { held_until: 0 }),
		idempotency_key: NO_KEY,
		idempotency: null,
		relay_at: TOMBSTONE,
		write_id: filler(booking._id),
	};
}

/** `relay_at` of a deleted booking whose events are delivered: by it the sweep finds those that may go. */
export const TOMBSTONE = -1;

export function isFence({ _id, write_id }: Pick<BookingDocument, '_id' | 'write_id'>): boolean {
	return write_id === filler(_id);
}

/** Whether a change gives up a booking's seat. */
export function gaveUpSeat({ place, seat }: BookingDocument, after: Partial<BookingDocument>): boolean {
	return seat !== NO_SEAT && ((after.place ?? place) !== place || (after.seat ?? seat) !== seat);
}
