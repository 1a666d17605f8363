import type { BookingEvent } from '../../../../shared/contract/schemas/event.ts';
import type { Gatherer } from '../../../../shared/engine/gatherer.ts';
import { newDelivery } from '../store/delivery.model.ts';
import { endOf, startOf, takes } from '../store/subscription.ts';
import type { WebhookDocument } from '../store/webhook.model.ts';
import type { WebhookStore } from '../store/webhook-store.ts';
import type { EventPage, EventPosition } from './gathered-reads.ts';

/**
 * Queues the log's next events for a webhook: first the deliveries are inserted, then the cursor moves, if the webhook is
 * still as it was read. A process that dies in between leaves it to be repeated; the unique key lets no event in twice.
 * @returns `more` where there are more events; `lost` where somebody else moved the cursor, or the webhook changed
 */
export async function fanOut(
	store: WebhookStore,
	next: Gatherer<EventPosition, EventPage>,
	webhook: WebhookDocument,
): Promise<'done' | 'more' | 'lost'> {
	const { account_id, cursor } = webhook;
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
	if (!(await store.queues.moveCursor(webhook, moved))) {
		// What was queued may have lost its owner, or the webhook: whoever has it now is to look.
		await store.queues.mark(webhook);
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
	await store.deliveries.insertMissing(deliveries);
}
