import type { Caller } from '../../shared/bus/call.ts';
import type { BookingListParams, Params, Result, Scoped, VersionedCustomer } from '../../shared/contract/actions.ts';
import { ApiError } from '../../shared/contract/errors.ts';
import type { Booking } from '../../shared/contract/schemas/booking.ts';
import type { BookingEngine } from './booking-engine.ts';
import type { ServiceSource } from './catalog-source.ts';
import { toBooking } from './document/booking.model.ts';
import type { ListScope } from './document/booking-lists.ts';
import { orderOf } from './document/list-filters.ts';
import { findShown, showable } from './find-booking.ts';
import { overServices } from './over-services.ts';

type Request = Scoped & { booking_id: number };

/** @throws booking_not_found */
export async function getBooking(engine: BookingEngine, request: Request): Promise<Booking> {
	return toBooking(await findShown(engine, request));
}

/** @throws booking_not_found */
export async function getCustomer(engine: BookingEngine, request: Request): Promise<VersionedCustomer> {
	const { customer, version } = await findShown(engine, request);
	return { customer, version };
}

/**
 * A page of the bookings of a service, or of all services of the account, chosen in one walk: its ids in the
 * order asked, its first bookings, and how many the filters match in all.
 * @throws service_not_found
 */
export async function listBookings(
	engine: BookingEngine,
	services: ServiceSource,
	caller: Caller,
	{ filters, sort = 'id', offset, limit, piece, ...of }: Scoped & BookingListParams,
): Promise<Result<'booking.list'>> {
	const { account_id, service_id } = of;
	const { lists } = engine.store;
	const read = (scope: ListScope) => {
		const query = { scope, filters, order: orderOf(sort) };
		return Promise.all([lists.page(query, { offset, limit }, piece), lists.total(query)]);
	};
	const [isThere, [{ ranked, first }, total_items]] = await Promise.all([
		service_id === undefined || services.ask({ account_id, service_id }),
		within(caller, of, read),
	]);
	if (!isThere) throw new ApiError('service_not_found');
	const shown = await showable(engine, first);
	return { bookings: shown.map(toBooking), ids: ranked.map(({ id }) => id), last_at: ranked.at(-1)?.at, total_items };
}

/** Those of these bookings that the list still has, in the order of the ids. */
export async function showListed(
	engine: BookingEngine,
	caller: Caller,
	{ filters, ids, ...of }: Params<'booking.listed'>,
): Promise<Booking[]> {
	const listed = await within(caller, of, (scope) => engine.store.lists.among({ scope, filters }, ids));
	return (await showable(engine, listed)).map(toBooking);
}

/** What is read of a service, or of all services of the account. */
function within<T>(
	caller: Caller,
	{ account_id, service_id }: Scoped & { service_id?: number },
	read: (scope: ListScope) => Promise<T>,
): Promise<T> {
	if (service_id !== undefined) return read({ account_id, service_ids: [service_id] });
	return overServices(caller, account_id, (service_ids) => read({ account_id, service_ids }));
}

/** Bookings that hold a seat, by service id. */
export async function countBookings(
	{ store: { lists } }: BookingEngine,
	{ account_id, service_ids }: Scoped & { service_ids: number[] },
): Promise<Record<number, number>> {
	const counts = await Promise.all(service_ids.map((service_id) => lists.countActive({ account_id, service_id })));
	return Object.fromEntries(service_ids.map((service_id, index) => [service_id, counts[index]!]));
}
