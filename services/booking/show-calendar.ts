import type { CalendarEntry, Params, Result } from '../../shared/contract/actions.ts';
import type { BookingEngine } from './booking-engine.ts';
import { type PromisedBooking, toBooking } from './document/booking.model.ts';
import { showable } from './find-booking.ts';

/** Bookings of a service by their start, along an index. Nothing of a customer leaves this service unless it is asked for. */
export async function showCalendar(
	engine: BookingEngine,
	{ account_id, service_id, from, to, backwards, include_customers, after, limit }: Params<'booking.calendar'>,
): Promise<Result<'booking.calendar'>> {
	const { lists } = engine.store;
	const window = { offset: 0, after: after && { at: from, ...after }, limit };
	const [service, sort] = [{ account_id, service_id }, backwards ? '-starts_at' : 'starts_at'] as const;
	const documents = await lists.between(service, from, to, sort, window);
	const last = documents.length === limit ? documents.at(-1) : undefined;
	const next = last === undefined ? null : { id: last._id, at: last.starts_ms! };
	const shown = await showable(engine, documents);
	return { entries: shown.map((booking) => toEntry(booking, include_customers)), next };
}

function toEntry(document: PromisedBooking, include_customers: boolean): CalendarEntry {
	const { id, status, starts_at, ends_at, version, created_at, updated_at, customer } = toBooking(document);
	const { name, email, phone } = customer;
	const told = include_customers ? { name, email, phone } : null;
	return { id, status, starts_at, ends_at, version, created_at, updated_at, customer: told };
}
