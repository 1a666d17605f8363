import type { CalendarEntry, Params, Result } from '../../shared/contract/actions.ts';
import type { BookingEngine } from './booking-engine.ts';
import { type ShownBooking, toBooking, type WithPromise } from './document/booking.model.ts';
import { showable } from './find-booking.ts';

/**
 * Which bookings of a service a calendar shows, along an index. A walk may miss a booking that moves in the index meanwhile, or
 * meet it twice: so there are two walks, the same booking would have to move in both, and each is told once.
 */
export async function listCalendar(
	{ store: { lists } }: BookingEngine,
	{ account_id, service_id, from, now, to, limit }: Params<'booking.calendar'>,
): Promise<Result<'booking.calendar'>> {
	const service = { account_id, service_id };
	const coming = () => lists.startingBetween(service, now, to, 'starts_at', limit);
	const before = () => lists.startingBetween(service, from, now - 1, '-starts_at', limit);
	const [ahead, past] = [await coming(), await before()];
	const found = new Set([...ahead, ...(await coming()), ...past, ...(await before())]);
	return [...found].slice(0, limit);
}

/** Those of these bookings that the service still lists. Nothing of a customer leaves this service unless it is asked for. */
export async function showCalendar(
	engine: BookingEngine,
	{ account_id, service_id, include_customers, ids }: Params<'booking.calendarEntries'>,
): Promise<Result<'booking.calendarEntries'>> {
	const scope = { account_id, service_ids: [service_id] };
	const shown = await showable(engine, await engine.store.lists.among({ scope, filters: {} }, ids));
	return shown.map((booking) => toEntry(booking, include_customers));
}

function toEntry(document: WithPromise<ShownBooking>, include_customers: boolean): CalendarEntry {
	const { id, status, starts_at, ends_at, version, created_at, updated_at, customer } = toBooking(document);
	const { name, email, phone } = customer;
	const told = include_customers ? { name, email, phone } : null;
	return { id, status, starts_at, ends_at, version, created_at, updated_at, customer: told };
}
