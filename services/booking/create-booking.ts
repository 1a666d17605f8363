import type { CreateBookingParams, Created, Scoped } from '../../shared/contract/actions.ts';
import { ApiError } from '../../shared/contract/errors.ts';
import type { Booking } from '../../shared/contract/schemas/booking.ts';
import type { Deadline } from '../../shared/work/deadline.ts';
import type { BookingEngine } from './booking-engine.ts';
import { NewBooking } from './seats/new-booking.ts';

/**
 * Books a customer into a time slot on a date. The booking holds its seat from the moment it is written.
 * @throws time_slot_not_found, invalid_request (weekday), duplicate_booking, closed, time_slot_full,
 *   booking_rate_limit_exceeded
 *   (the month's quota), idempotency_key_reused
 */
export async function createBooking(
	engine: BookingEngine,
	params: Scoped & CreateBookingParams,
	deadline: Deadline,
): Promise<Created<Booking>> {
	const earlier = await firstAnswer(engine, params);
	if (earlier !== undefined) return { data: earlier, replayed: true };
	const booking = new NewBooking(engine, params, deadline);
	try {
		await engine.seats.claim(booking);
	} catch (error) {
		const meanwhile = error instanceof ApiError ? await firstAnswer(engine, params) : undefined;
		if (meanwhile === undefined) throw error;
		return { data: meanwhile, replayed: true }; // refused by the very booking that its own key made
	}
	engine.relay.send(booking.document);
	return { data: booking.response, replayed: false };
}

async function firstAnswer(
	{ store }: BookingEngine,
	{ account_id, idempotency }: Scoped & CreateBookingParams,
): Promise<Booking | undefined> {
	return idempotency && store.firstAnswerOrFreeKey(account_id, idempotency);
}
