import type { Params } from '../../shared/contract/actions.ts';
import { ApiError } from '../../shared/contract/errors.ts';
import { wasAnswered } from '../../shared/work/answered.ts';
import type { Deadline } from '../../shared/work/deadline.ts';
import type { BookingEngine } from './booking-engine.ts';
import type { ChangeRequest } from './changes/planned-change.ts';
import type { BookingStore } from './document/booking-store.ts';

/**
 * Removes a booking and its customer; the place is free in the same write. Where the answer was not sent for sure, a
 * repeated DELETE is answered `ok`, too.
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
		const { account_id, booking_id: _id } = request;
		const unanswered = { _id, account_id, delete_answered: false };
		const isUnanswered = async () => (await store.model.exists(unanswered)) !== null;
		if (await wasAnswered(deadline, isUnanswered)) throw error;
	}
	return 'ok';
}

/** Notes that a client was sent the `ok`: a DELETE after it finds nothing. */
export async function noteDeletionAnswered(
	{ model }: BookingStore,
	{ account_id, booking_id }: Params<'booking.deletionAnswered'>,
): Promise<'ok'> {
	await model.updateOne({ _id: booking_id, account_id, delete_answered: false }, { $set: { delete_answered: true } });
	return 'ok';
}
