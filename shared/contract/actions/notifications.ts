import type { Person } from '../person.ts';
import type { Refused } from '../refused.ts';
import type { BacklogReport, EventReport, RewrapReport, WebhookReport } from '../reports.ts';
import type { KeptEvent } from '../schemas/customer.ts';
import type { Delivery, DeliveryFilters } from '../schemas/delivery.ts';
import type { BookingEvent, CustomerErased, EventList, EventType } from '../schemas/event.ts';
import type {
	CreateWebhook,
	RecoverWebhook,
	UpdateWebhook,
	Webhook,
	WebhookList,
	WebhookWithSecret,
} from '../schemas/webhook.ts';
import type { Created, Idempotency, IfMatch, Scoped } from './common.ts';

/** The event log and webhooks. */
export interface NotificationsActions {
	/** Appends to the accounts' event logs; an event that is there already counts as done. */
	'notifications.append': { params: { events: (NewEvent | NewErasure)[] }; result: 'ok' };
	'notifications.listEvents': {
		params: Scoped & { after: number; limit: number; types?: EventType[]; booking_id?: number; wait?: number };
		result: EventList;
	};
	/** What the log keeps of these bookings that tells of a person, by booking, then sequence; `next` is where to go on. */
	'notifications.eventsOfPerson': {
		params: Scoped & { person: Person; booking_ids: number[]; after?: EventPosition };
		result: { events: KeptEvent[]; next: EventPosition | null };
	};
	/** Takes a person out of the events of bookings that are, or were, for that person. Repeatable. */
	'notifications.erasePerson': { params: Scoped & { person: Person; booking_ids: number[] }; result: 'ok' };
	'notifications.createWebhook': {
		params: Scoped & { body: CreateWebhook; idempotency?: Idempotency };
		result: Created<WebhookWithSecret>;
	};
	'notifications.listWebhooks': { params: Scoped & { page: number; page_size: number }; result: WebhookList };
	'notifications.getWebhook': { params: Scoped & { webhook_id: number }; result: Webhook };
	'notifications.updateWebhook': {
		params: Scoped & { webhook_id: number; body: UpdateWebhook; if_match?: IfMatch };
		result: Webhook;
	};
	'notifications.deleteWebhook': { params: Scoped & { webhook_id: number; if_match?: IfMatch }; result: 'ok' };
	/** A client was sent the `ok`. */
	'notifications.deletionAnswered': { params: Scoped & { webhook_id: number }; result: 'ok' };
	'notifications.rotateWebhookSecret': { params: Scoped & { webhook_id: number }; result: WebhookWithSecret };
	/** At most `limit` rows: from `offset`, or after the id `after`. */
	'notifications.listDeliveries': {
		params: Scoped & {
			webhook_id: number;
			filters: DeliveryFilters;
			offset: number;
			limit: number;
			after?: number;
		};
		result: { deliveries: Delivery[]; total_items: number };
	};
	'notifications.redeliver': { params: Scoped & { webhook_id: number; delivery_id: number }; result: Delivery };
	'notifications.testWebhook': { params: Scoped & { webhook_id: number }; result: Delivery };
	'notifications.recoverWebhook': { params: Scoped & { webhook_id: number; body: RecoverWebhook }; result: 'ok' };
	/** For operators, as are the next ones. */
	/** The last ones; with `after` those that follow it, refused where the log does not get as far. */
	'notifications.tailEvents': {
		params: Scoped & { limit: number; booking_id?: number; after?: number };
		result: EventReport[] | Refused;
	};
	'notifications.webhookReports': { params: Scoped; result: WebhookReport[] };
	'notifications.latestDeliveries': { params: { webhook_id: number }; result: Delivery[] | Refused };
	'notifications.redeliverAny': { params: { delivery_id: number }; result: Delivery | Refused };
	'notifications.enableWebhook': { params: { webhook_id: number }; result: Webhook | Refused };
	/** What tells the keys that this process has, the one that seals first. */
	'notifications.secretKeys': { params: Record<string, never>; result: { keys: string[] } };
	/** Seals anew what an old key sealed, of some webhooks with ids above `after`. */
	'notifications.rewrapSecrets': { params: { after: number }; result: RewrapReport };
	'notifications.backlog': { params: Record<string, never>; result: BacklogReport };
}

/** The last event of those that were read. */
export interface EventPosition {
	booking_id: number;
	sequence: number;
}

/** An event that has no place in an account's sequence yet. */
export type NewEvent = Omit<BookingEvent, 'sequence'> &
	Scoped & {
		/** Of the request that caused it, while traces are on; never shown */
		traceparent?: string;
	};

/** The same of the event that tells of an erasure. */
export type NewErasure = Omit<CustomerErased, 'sequence'> & Scoped & Pick<NewEvent, 'traceparent'>;
