import { ApiError } from '../../shared/contract/errors.ts';
import { wasAnswered } from '../../shared/work/answered.ts';
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
	try {
		await changes.change(request, deadline, () => 'delete');
	} catch (error) {
		if (!(error instanceof ApiError) || error.type !== 'booking_not_found') throw error;
		const isUnanswered = () => store.isDeletionUnanswered(request.account_id, request.booking_id);
		if (await wasAnswered(deadline, isUnanswered)) throw error;
	}
	return 'ok';
}
