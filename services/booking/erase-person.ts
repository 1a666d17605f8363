import type { Params } from '../../shared/contract/actions.ts';
import type { Deadline } from '../../shared/work/deadline.ts';
import type { BookingEngine } from './booking-engine.ts';

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
	for (let open = booking_ids; open.length > 0; ) {
		deadline.assertTimeLeft();
		const documents = await store.persons.byIds(scope, open);
		const erased = await Promise.all(
			documents.map(
				async (document) => (await store.persons.erase(document, person, store.clock.now())) || document._id,
			),
		);
		open = erased.filter((id) => id !== true); // changed meanwhile: again, as they are now
	}
	await sweeper.deliverNow({ ids: booking_ids });
	return 'ok';
}
