import { type Caller, call } from '../../shared/bus/call.ts';
import type {
	BookingListParams,
	Result,
	Scoped,
	ServiceKey,
	VersionedCustomer,
} from '../../shared/contract/actions.ts';
import { ApiError } from '../../shared/contract/errors.ts';
import type { Booking } from '../../shared/contract/schemas/booking.ts';
import type { BookingEngine } from './booking-engine.ts';
import { findBookingWithSlot, type ServiceSource } from './catalog-source.ts';
import { type BookingDocument, toBooking } from './document/booking.model.ts';

type Request = Scoped & { booking_id: number };

/** @throws booking_not_found */
export async function getBooking({ store, slots }: BookingEngine, request: Request): Promise<Booking> {
	const { booking, slot } = await findBookingWithSlot(store, slots, request);
	return toBooking(booking, slot);
}

/** @throws booking_not_found */
export async function getCustomer({ store, slots }: BookingEngine, request: Request): Promise<VersionedCustomer> {
	const { booking } = await findBookingWithSlot(store, slots, request);
	return { customer: booking.customer, version: booking.version };
}

/**
 * Bookings of a service by id, ascending, and how many the filters match in all.
 * @throws service_not_found
 */
export async function listBookings(
	{ store: { lists } }: BookingEngine,
	services: ServiceSource,
	caller: Caller,
	{ account_id, service_id, filters, offset, limit, after }: Scoped & BookingListParams,
): Promise<Result<'booking.list'>> {
	const service = { account_id, service_id };
	const [isThere, documents, total_items] = await Promise.all([
		services.ask(service),
		lists.page(service, filters, { offset, after, limit }),
		lists.total(service, filters),
	]);
	if (!isThere) throw new ApiError('service_not_found');
	return { ...(await withSlots(caller, service, documents)), total_items };
}

/** The slots as they were at one moment. A booking whose slot went while the page was made, with its service, is left out. */
async function withSlots(
	caller: Caller,
	service: ServiceKey,
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

/** Bookings that hold a seat, by service id. */
export async function countBookings(
	{ store: { lists } }: BookingEngine,
	{ account_id, service_ids }: Scoped & { service_ids: number[] },
): Promise<Record<number, number>> {
	const counts = await Promise.all(service_ids.map((service_id) => lists.countActive({ account_id, service_id })));
	return Object.fromEntries(service_ids.map((service_id, index) => [service_id, counts[index]!]));
}
