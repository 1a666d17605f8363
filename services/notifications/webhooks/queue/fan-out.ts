import { type AccountKey, accountKey } from '../../../../shared/contract/actions/common.ts';
import type { Event, EventList } from '../../../../shared/contract/schemas/event.ts';
import { matchOwned } from '../../../../shared/engine/by-account.ts';
import { Gatherer } from '../../../../shared/engine/gatherer.ts';
import type { EventDocument, EventKey, EventStore } from '../../log/event-store.ts';
import { readKeptEvents } from '../../log/read-events.ts';
import { newDelivery } from '../store/delivery.model.ts';
import type { QueueStore, WebhookKey, WebhookState } from '../store/queue-store.ts';
import { endOf, startOf, takes } from '../store/subscription.ts';
import type { WebhookDocument } from '../store/webhook.model.ts';
import type { WebhookStore } from '../store/webhook-store.ts';

/** What the queues of a process ask at about the same time, they read together. */

export interface EventPosition {
	account_id: string;
	/** Sequence */
	after: number;
}

export type EventPage = Pick<EventList, 'events' | 'has_more'>;

/** Webhooks of one batch */
const MOST_WEBHOOKS = 250;
/** Events of one batch, each up to about 10 KiB */
const MOST_EVENTS = 64;
/** Events of one page */
const PAGE = 100;
/** Pages of one batch, which are read at the same time */
const MOST_PAGES = 16;

/** The webhooks' states, not older than the question; null where one is not there. */
export function currentWebhooks(store: QueueStore): Gatherer<WebhookKey, WebhookState | null> {
	return new Gatherer((keys) => store.states(keys), { maxBatch: MOST_WEBHOOKS });
}

/** Events by id, as they are in the log; null where one is no longer kept. */
export function eventsById(store: EventStore): Gatherer<EventKey, EventDocument | null> {
	return new Gatherer(
		async (keys) => {
			const found = await store.findMany(keys);
			const idOf = (key: EventKey) => key.event_id;
			return matchOwned(keys, idOf, found, (event) => event._id);
		},
		{ maxBatch: MOST_EVENTS },
	);
}

/**
 * Reads on in accounts' logs. Webhooks of one account mostly stand at the same position and ask together: they share a
 * read. Where the events behind a position are no longer kept, it goes on with the oldest that is.
 */
export function nextEvents(store: EventStore): Gatherer<EventPosition, EventPage> {
	const read = (position: EventPosition): Promise<EventPage | Error> =>
		readKeptEvents(store, { ...position, limit: PAGE }).catch((error: Error) => error);
	return new Gatherer(
		async (positions) => {
			const reads = new Map<AccountKey, Promise<EventPage | Error>>();
			return Promise.all(
				positions.map((position) => {
					const key = accountKey(position, position.after);
					const shared = reads.get(key) ?? read(position);
					reads.set(key, shared);
					return shared;
				}),
			);
		},
		{ maxBatch: MOST_PAGES },
	);
}

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

async function insert(store: WebhookStore, webhook: WebhookDocument, events: Event[]): Promise<void> {
	const first = await store.nextDeliveryIds(events.length);
	const { _id: webhook_id, account_id } = webhook;
	const deliveries = events.map(({ id: event_id, type: event_type, sequence }, index) =>
		newDelivery({ _id: first + index, account_id, webhook_id, event_id, event_type, sequence, test: null }, store),
	);
	await store.deliveries.insertMissing(deliveries);
}
