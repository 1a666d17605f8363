import { type Caller, call } from '../../shared/bus/call.ts';
import type { Params, Result } from '../../shared/contract/actions.ts';
import type { CustomerStore } from './customer-store.ts';
import { bookingsOf } from './find-bookings.ts';
import type { FormerCustomers } from './former-customers.ts';

/** Bookings of a piece, each perhaps twice, as it is and as a first answer: 38 kB at most */
const PIECE = 8;

/**
 * A piece of what is kept about a person: bookings and first answers from booking, with whatever the event log tells of the
 * person. The next piece goes on with the events that did not fit, then with the next bookings.
 */
export async function exportPerson(
	parts: { customers: CustomerStore; former: FormerCustomers },
	caller: Caller,
	{ account_id, person, from: { after, rest } }: Params<'customer.export'>,
): Promise<Result<'customer.export'>> {
	if (rest !== undefined) {
		const { events, next } = await call(caller, 'notifications.eventsOfPerson', { account_id, person, ...rest });
		const left = next === null ? { after } : { after, rest: { ...rest, after: next } };
		return { bookings: [], first_answers: [], events, begun: 0, after, next: left };
	}
	const asked = { account_id, person, after, limit: PIECE };
	const booking_ids = await bookingsOf(parts, caller, asked);
	if (booking_ids.length === 0) return { bookings: [], first_answers: [], events: [], begun: 0, after, next: null };
	const [told, { events, next }] = await Promise.all([
		call(caller, 'booking.toldOfPerson', { account_id, person, booking_ids }),
		call(caller, 'notifications.eventsOfPerson', { account_id, person, booking_ids }),
	]);
	const last = booking_ids.at(-1)!;
	const behind = { after: last, ...(next !== null && { rest: { booking_ids, after: next } }) };
	const isLast = next === null && booking_ids.length < PIECE;
	return { ...told, events, begun: booking_ids.length, after: last, next: isLast ? null : behind };
}
