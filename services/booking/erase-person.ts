import type { Params, Scoped } from '../../shared/contract/actions.ts';
import type { Deadline } from '../../shared/work/deadline.ts';
import type { BookingEngine } from './booking-engine.ts';
import type { BookingDocument } from './document/booking.model.ts';

/**
 * Takes a person out of bookings that are, or were, for that person: out of what they are now, out of their events that wait,
 * and out of the first answers that are kept. When it returns, their events are in the log: what a relay still carries, read
 * before the erasure, is there already when it comes. To be repeated where it throws.
 */
export async function erasePerson(
	{ store, sweeper }: BookingEngine,
	{ person, booking_ids, ...scope }: Params<'booking.erasePerson'>,
	deadline: Deadline,
): Promise<'ok'> {
	await ofEach(store, scope, booking_ids, deadline, (document) =>
		store.persons.erase(document, person, store.clock.now()),
	);
	await sweeper.deliverNow({ ids: booking_ids });
	return 'ok';
}

/** Frees the customers' places that erased bookings have kept, so that the feed had the erasure first. To be repeated where it throws. */
export async function releaseErased(
	{ store }: BookingEngine,
	{ booking_ids, ...scope }: Params<'booking.releaseErased'>,
	deadline: Deadline,
): Promise<'ok'> {
	await ofEach(store, scope, booking_ids, deadline, (document) => store.persons.release(document));
	return 'ok';
}

/** @param change of a booking as it was read; false where it changed meanwhile: then again, as it is now */
async function ofEach(
	{ persons }: BookingEngine['store'],
	scope: Scoped,
	booking_ids: number[],
	deadline: Deadline,
	change: (document: BookingDocument) => Promise<boolean>,
): Promise<void> {
	for (let open = booking_ids; open.length > 0; ) {
		deadline.assertTimeLeft();
		const documents = await persons.byIds(scope, open);
		const done = await Promise.all(documents.map(async (document) => (await change(document)) || document._id));
		open = done.filter((id) => id !== true);
	}
}
