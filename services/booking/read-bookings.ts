import { type Caller, call } from '../../shared/bus/call.ts';
import type { BookingListParams, Result, Scoped, VersionedCustomer } from '../../shared/contract/actions.ts';
import { ApiError } from '../../shared/contract/errors.ts';
import type { Booking } from '../../shared/contract/schemas/booking.ts';
import type { BookingEngine } from './booking-engine.ts';
import type { ServiceSource } from './catalog-source.ts';
import { toBooking } from './document/booking.model.ts';
import { orderOf } from './document/list-filters.ts';
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
 * Bookings of a service, or of all services of the account, in the order asked, and how many the filters match in all.
 * @throws service_not_found
 */
export async function listBookings(
	engine: BookingEngine,
	services: ServiceSource,
	caller: Caller,
	{ account_id, service_id, filters, sort = 'id', offset, limit, after }: Scoped & BookingListParams,
): Promise<Result<'booking.list'>> {
	const service_ids =
		service_id === undefined ? await call(caller, 'catalog.serviceIds', { account_id }) : [service_id];
	const { lists } = engine.store;
	const query = { scope: { account_id, service_ids }, filters, order: orderOf(sort) };
	const [isThere, documents, total_items] = await Promise.all([
		service_id === undefined || services.ask({ account_id, service_id }),
		lists.page(query, { offset, after: after && { at: '', ...after }, limit }),
		lists.total(query),
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
