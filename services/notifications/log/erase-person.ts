import type { Params } from '../../../shared/contract/actions.ts';
import { erasedParts } from '../../../shared/contract/erased.ts';
import type { Deadline } from '../../../shared/work/deadline.ts';
import { type EventStore, isOfBooking } from './event-store.ts';

/** Events that are read together, each up to about 20 KiB */
const PIECE = 200;

/**
 * Takes a person out of the events of bookings. They keep id, type, sequence and time: the log has no hole, and a late append of
 * one of them finds it there. Deliveries hold nothing of an event: an attempt that begins later sends it as it is then.
 */
export async function erasePerson(
	store: EventStore,
	{ account_id, person, booking_ids }: Params<'notifications.erasePerson'>,
	deadline: Deadline,
): Promise<'ok'> {
	const told = await Promise.all(booking_ids.map((booking_id) => store.ofBooking(account_id, booking_id)));
	const ids = told.flat().map(({ _id }) => _id);
	for (let at = 0; at < ids.length; at += PIECE) {
		deadline.assertTimeLeft();
		const events = await store.byIds(account_id, ids.slice(at, at + PIECE));
		await Promise.all(
			events.filter(isOfBooking).map((event) => {
				const parts = erasedParts(event, person);
				return Object.keys(parts).length === 0 ? undefined : store.rewrite(event, parts);
			}),
		);
	}
	return 'ok';
}
