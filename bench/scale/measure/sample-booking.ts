import type { BookingDocument } from '../../../services/booking/document/booking.model.ts';
import { filler } from '../../../services/booking/document/keys.ts';

const AT = '2026-11-01T08:00:00.000Z';

/** A booking as it lies in the store once its event is delivered, on a seat of its own. */
export function createdBooking(id: number): BookingDocument {
	const place = `${1 + (id % 1_000)}:2027-01-04`;
	const email = `customer${id}@example.com`;
	return {
		_id: id,
		account_id: `acc_${id % 100}`,
		service_id: 1,
		listed_under: 1,
		counted_under: 1,
		time_slot_id: 1 + (id % 1_000),
		date: '2027-01-04',
		status: 'pending',
		cancel_reason: null,
		message: null,
		place,
		seat: id,
		customer_key: `${place}:email:${id}`,
		idempotency_key: filler(id),
		idempotency: null,
		customer: { id, name: 'Ada Lovelace', email, phone: null, created_at: AT, updated_at: AT },
		email_key: email,
		outbox: [],
		relay_at: 0,
		version: 1,
		write_id: 'abcdefghijkl',
		created_at: AT,
		updated_at: AT,
		deleted_at: null,
	};
}
