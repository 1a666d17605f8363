import type { Caller } from '../../shared/bus/call.ts';
import type { Params, ToldOfPerson } from '../../shared/contract/actions.ts';
import { tellsOf } from '../../shared/contract/person.ts';
import type { BookingEngine } from './booking-engine.ts';
import { toBooking } from './document/booking.model.ts';
import { firstAnswersOf } from './document/person-bookings.ts';
import { showable } from './find-booking.ts';
import { overServices } from './over-services.ts';

/** Found by their own index, not by the directory: it may be behind by what the relay still has to carry there. */
export async function bookingsOfPerson(
	{ store }: BookingEngine,
	caller: Caller,
	{ account_id, person, after, limit }: Params<'booking.ofPerson'>,
): Promise<number[]> {
	const ids = await overServices(caller, account_id, (services) =>
		store.persons.ids(account_id, person, services, after),
	);
	return ids.slice(0, limit);
}

/** What bookings tell of a person: as they are now, and what their Idempotency-Keys answer. */
export async function toldOfPerson(
	engine: BookingEngine,
	{ person, booking_ids, ...scope }: Params<'booking.toldOfPerson'>,
): Promise<ToldOfPerson> {
	const documents = await engine.store.persons.byIds(scope, booking_ids);
	const theirs = documents.filter(({ deleted_at, customer }) => deleted_at === null && tellsOf(person, customer));
	const bookings = (await showable(engine, theirs)).map(toBooking);
	return { bookings, first_answers: firstAnswersOf(person, documents) };
}
