import { setTimeout as delay } from 'node:timers/promises';
import { ApiError } from '../../../shared/contract/errors.ts';
import { isDuplicateKey, mayStillLand } from '../../../shared/store/write-errors.ts';
import { type Deadline, withoutDeadline } from '../../../shared/work/deadline.ts';
import { type BookingDocument, filler } from './booking.model.ts';
import type { BookingStore } from './booking-store.ts';

const RETRY_EVERY = 100; // ms

/**
 * Settles an insert whose outcome is not known. It may still land later, so before the request is refused a tombstone
 * with the same id takes its place: the late insert then meets a duplicate `_id`. Where the tombstone meets one, the
 * insert went through, for the id is this booking's alone; what others made of the booking since is no matter.
 * @returns `fenced`: nothing was written, nor will be
 * @throws gateway_timeout where the store did not answer until the deadline: the outcome stays unknown
 */
export async function fenceWrite(
	store: BookingStore,
	document: BookingDocument,
	deadline: Deadline,
): Promise<'landed' | 'fenced'> {
	while (deadline.remaining() > 0) {
		try {
			await withoutDeadline(() => store.model.insertMany([fenceOf(document)], { lean: true }));
			return 'fenced';
		} catch (error) {
			if (isDuplicateKey(error)) {
				const holder = await store.holderOf(document);
				if (holder !== null) return holder === 'booking' ? 'landed' : 'fenced';
				await delay(RETRY_EVERY); // what refused the fence cannot be seen yet
			} else if (!mayStillLand(error)) await delay(RETRY_EVERY);
		}
	}
	throw new ApiError('gateway_timeout');
}

function fenceOf(document: BookingDocument): BookingDocument {
	const free = filler(document._id);
	return {
		...document,
		listed_under: 0,
		counted_under: 0,
		place: '',
		seat_key: free,
		customer_key: free,
		idempotency_key: free,
		idempotency: null,
		customer: { ...document.customer, name: null, email: null, phone: null },
		message: null,
		email_key: '',
		outbox: [],
		relay_at: 0,
		write_id: free,
		deleted_at: document.created_at,
	};
}
