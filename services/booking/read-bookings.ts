import type { BookingListParams, Result, Scoped, VersionedCustomer } from '../../shared/contract/actions.ts';
import { ApiError } from '../../shared/contract/errors.ts';
import type { Booking } from '../../shared/contract/schemas/booking.ts';
import type { BookingEngine } from './booking-engine.ts';
import type { ServiceSource } from './catalog-source.ts';
import { toBooking } from './document/booking.model.ts';
import { findBooking, showable } from './find-booking.ts';

type Request = Scoped & { booking_id: number };

/** @throws booking_not_found */
export async function getBooking(engine: BookingEngine, request: Request): Promise<Booking> {
	return toBooking(await findBooking(engine, request));
}

/** @throws booking_not_found */
export async function getCustomer(engine: BookingEngine, request: Request): Promise<VersionedCustomer> {
	const { customer, version } = await findBooking(engine, request);
	return { customer, version };
}

/**
 * Bookings of a service by id, ascending, and how many the filters match in all.
 * @throws service_not_found
 */
export async function listBookings(
	engine: BookingEngine,
	services: ServiceSource,
	{ account_id, service_id, filters, offset, limit, after }: Scoped & BookingListParams,
): Promise<Result<'booking.list'>> {
	const { lists } = engine.store;
	const service = { account_id, service_id };
	const [isThere, documents, total_items] = await Promise.all([
		services.ask(service),
		lists.page(service, filters, { offset, after, limit }),
		lists.total(service, filters),
	]);
	if (!isThere) throw new ApiError('service_not_found');
	return { bookings: (await showable(engine, documents)).map(toBooking), total_items };
}

/** Bookings that hold a seat, by service id. */
export async function countBookings(
	{ store: { lists } }: BookingEngine,
	{ account_id, service_ids }: Scoped & { service_ids: number[] },
): Promise<Record<number, number>> {
	const counts = await Promise.all(service_ids.map((service_id) => lists.countActive({ account_id, service_id })));
	return Object.fromEntries(service_ids.map((service_id, index) => [service_id, counts[index]!]));
}
