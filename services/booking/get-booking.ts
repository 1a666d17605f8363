import type { Scoped, VersionedCustomer } from '../../shared/actions.ts';
import type { Booking } from '../../shared/api/booking.ts';
import { toBooking } from './booking.model.ts';
import { findSubject } from './change-booking.ts';
import type { BookingEngine } from './dependencies.ts';

type Request = Scoped & { booking_id: number };

export async function getBooking(engine: BookingEngine, request: Request): Promise<Booking> {
	const { booking, slot } = await findSubject(engine, request);
	return toBooking(booking, slot);
}

export async function getCustomer(engine: BookingEngine, request: Request): Promise<VersionedCustomer> {
	const { booking } = await findSubject(engine, request);
	return { customer: booking.customer, version: booking.version };
}
