import type { Params, Result } from '../../../shared/contract/actions.ts';
import { type Person, tellsOf } from '../../../shared/contract/person.ts';
import type { BookingEvent } from '../../../shared/contract/schemas/event.ts';
import type { WebhookStore } from '../webhooks/store/webhook-store.ts';
import { type BookingEventDocument, isOfBooking, toEvent } from './event-store.ts';

/** Bytes of an answer as JSON: with what the bookings tell it stays below 512 KiB, for the bus carries 1 MiB a message */
const MOST_BYTES = 200 * 1024;
/** Events that are read together, each up to about 20 KiB */
const PIECE = 50;

/** Whether an event says anything of the person, for a booking that was the person's at some time. */
export function namesPerson(
	person: Person,
	{ data, previous }: Pick<BookingEventDocument, 'data' | 'previous'>,
): boolean {
	return tellsOf(person, data.customer) || (previous?.customer !== undefined && tellsOf(person, previous.customer));
}

/** What the log keeps of these bookings that tells of a person, with the deliveries of each event. */
export async function eventsOfPerson(
	{ events, deliveries, endpoints }: Pick<WebhookStore, 'events' | 'deliveries' | 'endpoints'>,
	{ account_id, person, booking_ids, after }: Params<'notifications.eventsOfPerson'>,
): Promise<Result<'notifications.eventsOfPerson'>> {
	const answer: Result<'notifications.eventsOfPerson'> = { events: [], next: null };
	const webhook_ids = (await endpoints.list(account_id)).map(({ _id }) => _id);
	let bytes = 0;
	const rest = booking_ids.filter((id) => after === undefined || id >= after.booking_id);
	for (const booking_id of rest) {
		const told = await events.ofBooking(account_id, booking_id);
		const behind = booking_id === after?.booking_id ? after.sequence : 0;
		const ids = told.filter(({ sequence }) => sequence > behind).map(({ _id }) => _id);
		for (let at = 0; at < ids.length; at += PIECE) {
			const found = await events.byIds(account_id, ids.slice(at, at + PIECE));
			const naming = found.filter(isOfBooking).filter((event) => namesPerson(person, event));
			const sent = await deliveries.ofEvents(
				account_id,
				webhook_ids,
				naming.map(({ _id }) => _id),
			);
			for (const document of naming) {
				const to = (sent.get(document._id) ?? []).map(({ _id: delivery_id, webhook_id, status }) => {
					return { delivery_id, webhook_id, status };
				});
				const kept = { event: toEvent(document) as BookingEvent, deliveries: to };
				bytes += Buffer.byteLength(JSON.stringify(kept));
				if (bytes > MOST_BYTES && answer.events.length > 0) return answer;
				answer.events.push(kept);
				answer.next = { booking_id, sequence: document.sequence };
			}
		}
	}
	return { ...answer, next: null };
}
