import { type AccountKey, accountKey } from '../../../../shared/contract/account-key.ts';
import type { EventList } from '../../../../shared/contract/schemas/event.ts';
import { matchOwned } from '../../../../shared/engine/by-account.ts';
import { Gatherer } from '../../../../shared/engine/gatherer.ts';
import type { EventDocument } from '../../log/event.model.ts';
import type { EventKey, EventStore } from '../../log/event-store.ts';
import { readKeptEvents } from '../../log/read-events.ts';
import type { QueueStore, WebhookKey, WebhookState } from '../store/queue-store.ts';

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
