import { type Caller, call } from '../../shared/bus/call.ts';
import type { BookingListParams, Params, Result, Scoped, VersionedCustomer } from '../../shared/contract/actions.ts';
import { ApiError } from '../../shared/contract/errors.ts';
import type { Booking } from '../../shared/contract/schemas/booking.ts';
import type { BookingEngine } from './booking-engine.ts';
import type { ServiceSource } from './catalog-source.ts';
import { toBooking } from './document/booking.model.ts';
import type { ListScope } from './document/booking-lists.ts';
import { orderOf } from './document/list-filters.ts';
import { findShown, showable } from './find-booking.ts';

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
	{ account_id, service_id, filters, sort = 'id', offset, limit, piece }: Scoped & BookingListParams,
): Promise<Result<'booking.list'>> {
	const { lists } = engine.store;
	const query = { scope: await scopeOf(caller, account_id, service_id), filters, order: orderOf(sort) };
	const [isThere, { ranked, first }, total_items] = await Promise.all([
		service_id === undefined || services.ask({ account_id, service_id }),
		lists.page(query, { offset, limit }, piece),
		lists.total(query),
	]);
	if (!isThere) throw new ApiError('service_not_found');
	const shown = await showable(engine, first);
	return { bookings: shown.map(toBooking), ids: ranked.map(({ id }) => id), last_at: ranked.at(-1)?.at, total_items };
}

/** Those of these bookings that the list still has, in the order of the ids. */
export async function showListed(
	engine: BookingEngine,
	caller: Caller,
	{ account_id, service_id, filters, ids }: Params<'booking.listed'>,
): Promise<Booking[]> {
	const scope = await scopeOf(caller, account_id, service_id);
	return (await showable(engine, await engine.store.lists.among({ scope, filters }, ids))).map(toBooking);
}

async function scopeOf(caller: Caller, account_id: string, service_id: number | undefined): Promise<ListScope> {
	const service_ids =
		service_id === undefined ? await call(caller, 'catalog.serviceIds', { account_id }) : [service_id];
	return { account_id, service_ids };
}

/** Bookings that hold a seat, by service id. */
export async function countBookings(
	{ store: { lists } }: BookingEngine,
	{ account_id, service_ids }: Scoped & { service_ids: number[] },
): Promise<Record<number, number>> {
	const counts = await Promise.all(service_ids.map((service_id) => lists.countActive({ account_id, service_id })));
	return Object.fromEntries(service_ids.map((service_id, index) => [service_id, counts[index]!]));
}
