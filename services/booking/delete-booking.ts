import { deleteOnce } from '../../shared/work/answered.ts';
import type { Deadline } from '../../shared/work/deadline.ts';
import type { BookingEngine } from './booking-engine.ts';
import type { ChangeRequest } from './changes/planned-change.ts';

/**
 * Removes a booking and its customer; the seat is free in the same write. As long as nobody knows that the answer was
 * sent, a repeated DELETE is answered `ok`, too.
 * @throws booking_not_found, version_mismatch
 */
export async function deleteBooking(
	{ changes, store }: BookingEngine,
	request: ChangeRequest,
	deadline: Deadline,
): Promise<'ok'> {
	const { account_id, booking_id } = request;
	const remove = () => changes.change(request, deadline, () => 'delete');
	return deleteOnce('booking_not_found', deadline, remove, () => store.isDeletionUnanswered(account_id, booking_id));
}
