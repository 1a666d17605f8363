import type { Customer } from '../../../shared/contract/schemas/booking.ts';
import type { BookingDocument } from './booking.model.ts';
import { customerIdentity, customerKeyOf, filler, placeOf, seatKeyOf } from './keys.ts';

/**
 * The states of a booking, and what it holds in each. Every write that changes one of these fields takes them from here.
 *
 * |                            | place, counted_under | seat_key, customer_key | listed_under | deleted_at |
 * |----------------------------|----------------------|------------------------|--------------|------------|
 * | active: pending, confirmed | held                 | held                   | its service  | null       |
 * | cancelled                  | released             | released               | its service  | null       |
 * | deleted                    | released             | released               | 0            | set        |
 * | deleted with its service   | released             | as they were           | 0            | set        |
 *
 * A deleted booking stays as a tombstone for a while (`sweeper.ts`). A fence is a tombstone that never was a booking.
 */
type Holdings = Pick<BookingDocument, 'place' | 'counted_under' | 'seat_key' | 'customer_key'>;

/** Whether it holds a seat. */
export function isActive({ status, deleted_at }: Pick<BookingDocument, 'status' | 'deleted_at'>): boolean {
	return status !== 'cancelled' && deleted_at === null;
}

/** What an active booking holds. @param customerKey of its customer and occurrence; null where no duplicate can be told */
export function held(
	{ _id, service_id, time_slot_id, date }: Pick<BookingDocument, '_id' | 'service_id' | 'time_slot_id' | 'date'>,
	seat: number,
	customerKey: string | null,
): Holdings {
	const place = placeOf(time_slot_id, date);
	return {
		place,
		counted_under: service_id,
		seat_key: seatKeyOf(place, seat),
		customer_key: customerKey ?? filler(_id),
	};
}

/** The key by which an active booking keeps its customer from booking the occurrence again; null where none is told. */
export function customerKey({
	time_slot_id,
	date,
	customer,
}: Pick<BookingDocument, 'time_slot_id' | 'date'> & { customer: Pick<Customer, 'email' | 'phone'> }): string | null {
	return customerKeyOf(placeOf(time_slot_id, date), customerIdentity(customer));
}

/** What a booking holds that gave up its seat. */
export function released(id: number): Holdings {
	const free = filler(id);
	return { ...UNCOUNTED, seat_key: free, customer_key: free };
}

/** A deleted booking gives up its seat and leaves every list in the same write. */
export function deleted(id: number, at: string) {
	return { ...released(id), listed_under: 0, deleted_at: at };
}

/** Deleted with its service. Its keys stay: the ids of the service's slots are never used again. */
export function deletedWithService(at: string) {
	return { ...UNCOUNTED, listed_under: 0, deleted_at: at };
}

/** A tombstone with the id of a booking whose insert may still come: the late insert meets a duplicate `_id`. */
export function fence(booking: BookingDocument): BookingDocument {
	const free = filler(booking._id);
	return {
		...booking,
		...deleted(booking._id, booking.created_at),
		...scrubbed(booking),
		idempotency_key: free,
		idempotency: null,
		relay_at: 0,
		write_id: free,
	};
}

export function isFence({ _id, write_id }: Pick<BookingDocument, '_id' | 'write_id'>): boolean {
	return write_id === filler(_id);
}

/** A booking's fields without what was told of its customer. */
export function scrubbed({ customer }: Pick<BookingDocument, 'customer'>): Pick<BookingDocument, Personal> {
	return { ...SCRUBBED, customer: { ...customer, ...NOBODY } };
}

const UNCOUNTED = { place: '', counted_under: 0 };

/**
 * Fields that tell nothing of a person; `customer_key` is a hash. Any other field is personal: the two lists below do not
 * compile until they name it.
 */
type Impersonal =
	| '_id'
	| 'account_id'
	| 'service_id'
	| 'listed_under'
	| 'counted_under'
	| 'time_slot_id'
	| 'date'
	| 'status'
	| 'place'
	| 'seat_key'
	| 'customer_key'
	| 'idempotency_key'
	| 'relay_at'
	| 'version'
	| 'write_id'
	| 'last_writes'
	| 'created_at'
	| 'updated_at'
	| 'deleted_at'
	| 'delete_answered';
/** The first answer under an Idempotency-Key is given again for 24 h, also once the booking is deleted. */
type KeptForRetries = 'idempotency';
type Personal = Exclude<keyof BookingDocument, Impersonal | KeptForRetries>;

export const SCRUBBED: Required<Pick<BookingDocument, Exclude<Personal, 'customer'>>> = {
	message: null,
	cancel_reason: null,
	email_key: '',
	outbox: [],
};
export const NOBODY: Record<Exclude<keyof Customer, 'id' | 'created_at' | 'updated_at'>, null> = {
	name: null,
	email: null,
	phone: null,
};
