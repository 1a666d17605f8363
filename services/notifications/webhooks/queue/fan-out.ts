import type { BookingEvent } from '../../../../shared/contract/schemas/event.ts';
import type { Gatherer } from '../../../../shared/engine/gatherer.ts';
import { bulkWriteErrors, deadlockDetected, retryDeadlock } from '../../../../shared/store/write-errors.ts';
import { type DeliveryDocument, newDelivery } from '../store/delivery.model.ts';
import { endOf, startOf, takes } from '../store/subscription.ts';
import type { WebhookDocument } from '../store/webhook.model.ts';
import type { WebhookStore } from '../store/webhook-store.ts';
import { markWebhook } from './mark-webhooks.ts';
import type { EventPage, EventPosition } from './next-events.ts';

/** MongoDB's code where a unique index refuses a document */
const DUPLICATE_KEY = 11_000;

/**
 * Queues the log's next events for a webhook: first the deliveries, then the cursor moves, for the webhook as it was read
 * only. What dies in between repeats it, and the unique key lets no event in twice.
 * @returns `more` where there are more events; `lost` where somebody else moved the cursor, or the webhook changed
 */
export async function fanOut(
	store: WebhookStore,
	next: Gatherer<EventPosition, EventPage>,
	webhook: WebhookDocument,
): Promise<'done' | 'more' | 'lost'> {
	const { _id, account_id, version, cursor, lease } = webhook;
	const [start, end] = [startOf(webhook), endOf(webhook)];
	if (cursor >= end) return 'done';
	const { events, has_more } =
		start < end ? await next.ask({ account_id, after: start }) : { events: [], has_more: false };
	const own = events.filter(({ sequence }) => sequence <= end);
	const reached = own.at(-1)?.sequence ?? start;
	if (reached === cursor) return 'done';
	const wanted = own.filter((event) => takes(store, webhook, event));
	if (wanted.length > 0) await insert(store, webhook, wanted);
	const moved = { cursor: reached, missed: missedBefore(webhook, start, own[0]?.sequence) };
	const { matchedCount } = await retryDeadlock(() =>
		store.webhooks.updateOne({ _id, account_id, version, cursor, lease, deleted_at: null }, { $set: moved }),
	);
	if (matchedCount === 0) {
		// What was queued may have lost its owner, or the webhook: whoever has it now is to look.
		await markWebhook(store, account_id, _id);
		return 'lost';
	}
	Object.assign(webhook, moved);
	return has_more ? 'more' : 'done';
}

/** The log begins with 1 and has no gap, so where it does not go on with the next number, events are no longer kept. */
function missedBefore({ missed }: WebhookDocument, start: number, first = start + 1): WebhookDocument['missed'] {
	return first === start + 1 ? missed : { first: missed?.first ?? start + 1, last: first - 1 };
}

async function insert(store: WebhookStore, webhook: WebhookDocument, events: BookingEvent[]): Promise<void> {
	const first = await store.nextDeliveryIds(events.length);
	const { _id: webhook_id, account_id } = webhook;
	const deliveries = events.map(({ id: event_id, type: event_type, sequence }, index) =>
		newDelivery({ _id: first + index, account_id, webhook_id, event_id, event_type, sequence, test: null }, store),
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
