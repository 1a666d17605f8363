import type { QueryFilter } from 'mongoose';
import { type Caller, call } from '../../shared/bus/call.ts';
import { accountKey } from '../../shared/contract/account-key.ts';
import type { BookingListParams, Result, Scoped } from '../../shared/contract/actions.ts';
import { ApiError } from '../../shared/contract/errors.ts';
import type { BookingFilters } from '../../shared/contract/schemas/booking.ts';
import { boundedCount } from '../../shared/store/bounded-count.ts';
import { findPlain } from '../../shared/store/find-plain.ts';
import type { BookingEngine } from './booking-engine.ts';
import { type BookingDocument, toBooking } from './document/booking.model.ts';
import { normalisedEmail } from './document/keys.ts';
import type { ServiceSource } from './service-source.ts';

type Filter = QueryFilter<BookingDocument>;

/**
 * Bookings of a service by id, ascending, and how many the filters match in all.
 * @throws service_not_found
 */
export async function listBookings(
	{ store }: Pick<BookingEngine, 'store'>,
	services: ServiceSource,
	caller: Caller,
	{ account_id, service_id, filters, offset, limit, after }: Scoped & BookingListParams,
): Promise<Result<'booking.list'>> {
	const filter: Filter = { account_id, listed_under: service_id, ...conditions(filters) };
	const rest: Filter = after === undefined ? filter : { ...filter, _id: { $gt: after } };
	const [isThere, documents, total_items] = await Promise.all([
		services.ask({ account_id, service_id }),
		findPlain(store.model, rest, { sort: { _id: 1 }, skip: after === undefined ? offset : 0, limit }),
		boundedCount(store.model, filter, accountKey({ account_id }, service_id, JSON.stringify(filters))),
	]);
	if (!isThere) throw new ApiError('service_not_found');
	return { ...(await withSlots(caller, { account_id, service_id }, documents)), total_items };
}

function conditions({ status, date, date_from, date_to, time_slot_id, customer_email }: BookingFilters): Filter {
	const range = {
		...(date === undefined ? {} : { $eq: date }),
		...(date_from === undefined ? {} : { $gte: date_from }),
		...(date_to === undefined ? {} : { $lte: date_to }),
	};
	return {
		...(status === undefined ? {} : { status }),
		...(Object.keys(range).length === 0 ? {} : { date: range }),
		...(time_slot_id === undefined ? {} : { time_slot_id }),
		...(customer_email === undefined ? {} : { email_key: normalisedEmail(customer_email) }),
	};
}

/** The slots as they were at one moment. A booking whose slot went while the page was made, with its service, is left out. */
async function withSlots(
	caller: Caller,
	service: Scoped & { service_id: number },
	documents: BookingDocument[],
): Promise<Pick<Result<'booking.list'>, 'bookings' | 'cut'>> {
	if (documents.length === 0) return { bookings: [], cut: '' };
	const ids = [...new Set(documents.map(({ time_slot_id }) => time_slot_id))];
	const { time_slots, cut } = await call(caller, 'catalog.slotsTogether', { ...service, ids });
	const byId = new Map(time_slots.map((slot) => [slot.id, slot]));
	const bookings = documents.flatMap((document) => {
		const slot = byId.get(document.time_slot_id);
		return slot ? [toBooking(document, slot)] : [];
	});
	return { bookings, cut };
}

/** Bookings that hold a place, by service id. */
export async function countBookings(
	{ store }: Pick<BookingEngine, 'store'>,
	{ account_id, service_ids }: Scoped & { service_ids: number[] },
): Promise<Record<number, number>> {
	const counts = await Promise.all(
		service_ids.map(async (service_id) => {
			const filter: Filter = { account_id, counted_under: service_id };
			return [
				service_id,
				await boundedCount(store.model, filter, accountKey({ account_id }, service_id, 'active')),
			] as const;
		}),
	);
	return Object.fromEntries(counts);
}
