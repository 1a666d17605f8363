import type { Deadline } from '../../shared/deadline.ts';
import type { BookingEngine } from './booking-engine.ts';
import type { ChangeRequest } from './planned-change.ts';

/** Removes a booking and its customer; the place is free in the same write. */
export async function deleteBooking(
	{ changes }: BookingEngine,
	request: ChangeRequest,
	deadline: Deadline,
): Promise<'ok'> {
	await changes.change(request, deadline, () => 'delete');
	return 'ok';
}
