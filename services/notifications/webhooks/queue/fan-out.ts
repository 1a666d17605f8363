import type { BookingEvent } from '../../../../shared/api/event.ts';
import type { Gatherer } from '../../../../shared/gatherer.ts';
import { bulkWriteErrors, deadlockDetected, retryDeadlock } from '../../../../shared/store/write-errors.ts';
import { type DeliveryDocument, newDelivery } from '../deliveries/delivery.model.ts';
import type { WebhookDocument } from '../endpoints/webhook.model.ts';
import type { WebhookStore } from '../webhook-store.ts';
import type { EventPage, EventPosition } from './next-events.ts';

/** MongoDB's code where a unique index refuses a document */
const DUPLICATE_KEY = 11_000;

/**
 * Queues the log's next events for a webhook: first the deliveries, then the cursor moves, by compare-and-set. What dies in
 * between repeats it, and the unique key lets no event in twice.
 * @returns `more` where there are more events; `lost` where somebody else moved the cursor, or the webhook changed
 */
export async function fanOut(
	store: WebhookStore,
	next: Gatherer<EventPosition, EventPage>,
	webhook: WebhookDocument,
): Promise<'done' | 'more' | 'lost'> {
	const { _id, account_id, cursor, lease } = webhook;
	const { events, has_more } = await next.ask({ account_id, after: cursor });
	const last = events.at(-1);
	if (last === undefined) return 'done';
	const wanted = events.filter(({ type }) => webhook.events.includes('*') || webhook.events.includes(type));
	if (wanted.length > 0) await insert(store, webhook, wanted);
	const { matchedCount } = await retryDeadlock(() =>
		store.webhooks.updateOne(
			{ _id, account_id, cursor, lease, enabled: true, deleted_at: null },
			{ $set: { cursor: last.sequence } },
		),
	);
	if (matchedCount === 0) return 'lost';
	webhook.cursor = last.sequence;
	return has_more ? 'more' : 'done';
}

async function insert(store: WebhookStore, webhook: WebhookDocument, events: BookingEvent[]): Promise<void> {
	const first = await store.nextDeliveryIds(events.length);
	const now = store.clock.now();
	const { _id: webhook_id, account_id } = webhook;
	const deliveries = events.map(({ id: event_id, type: event_type, sequence }, index) =>
		newDelivery({ _id: first + index, account_id, webhook_id, event_id, event_type, sequence, test: null }, now),
	);
	for (let again = true; again; ) again = await insertOnce(store, deliveries);
}

/** What is there already stays as it is. @returns whether a deadlock kept some out, so that it is to be repeated */
async function insertOnce(store: WebhookStore, deliveries: DeliveryDocument[]): Promise<boolean> {
	try {
		await retryDeadlock(() => store.deliveries.insertMany(deliveries, { ordered: false, lean: true }));
		return false;
	} catch (error) {
		const refused = bulkWriteErrors(error);
		if (!refused?.every(({ code }) => code === DUPLICATE_KEY || code === deadlockDetected)) throw error;
		return refused.some(({ code }) => code === deadlockDetected);
	}
}
