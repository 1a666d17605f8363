import type { Context } from 'moleculer';
import type { AvailabilityEntry, Occurrence } from './api/availability.ts';
import type { Booking, BookingFilters, CreateBooking, Customer, UpdateBooking, UpdateCustomer } from './api/booking.ts';
import type { Delivery, DeliveryFilters } from './api/delivery.ts';
import type { BookingEvent, EventList, EventType } from './api/event.ts';
import type { Provider, SubscriptionStatus } from './api/provider.ts';
import type { CreateService, Service, ServiceList, UpdateService } from './api/service.ts';
import type { TimeSlot, TimeSlotList, UpdateTimeSlots } from './api/time-slot.ts';
import type { Usage } from './api/usage.ts';
import type {
	CreateWebhook,
	RecoverWebhook,
	UpdateWebhook,
	Webhook,
	WebhookList,
	WebhookWithSecret,
} from './api/webhook.ts';
import type {
	AccountReport,
	KeyReport,
	LogCursor,
	LogEntry,
	PackageFigures,
	PackageReport,
	Page,
} from './ops/account-reports.ts';
import type { Refused } from './ops/refused.ts';
import type {
	AuditPage,
	AuditParams,
	LimitsReport,
	OutboxReport,
	PlaceReport,
	ProcessReport,
	QueueReport,
} from './ops/reports.ts';
import type { BacklogReport, EventReport, WebhookReport } from './ops/webhook-reports.ts';

/**
 * Every action on the bus, with what it takes and what it answers. `account_id` is the first parameter of each one that
 * touches a provider's data; only the gateway sets it, from the API key.
 */
export interface Actions {
	/** Who a key belongs to; null where it is unknown, revoked or expired. `hash`: SHA-256 of the key, hex. */
	'accounts.verifyKey': { params: { hash: string }; result: Principal | null };
	'accounts.provider': { params: Scoped; result: Provider };
	/** Reserves up to `count` bookings of the month's quota. */
	'accounts.reserveBookings': { params: Scoped & { count: number }; result: { granted: number; month: string } };
	/** Gives back what is known not to have been booked. Repeatable under its `number`, which grows in each process (`by`). */
	'accounts.releaseBookings': {
		params: Scoped & { count: number; month: string; by: string; number: number };
		result: 'ok';
	};
	/** What a gateway let through since its last report; at most 500 of them. Repeatable under its id, `report`. */
	'accounts.recordRequests': { params: { report: string; counts: RequestCount[] }; result: RequestCount[] };
	/** The current month's, or that of `month` (`YYYY-MM`); null where there is no such account. */
	'accounts.usage': { params: Scoped & { month?: string }; result: Usage | null };
	/** For operators, as are the next ones. Accounts by id, a page after the id `after`. */
	'accounts.listAccounts': { params: { after?: string }; result: Page<AccountReport, string> };
	'accounts.showAccount': {
		params: Scoped;
		result: { account: AccountReport; package: PackageReport } | Refused;
	};
	'accounts.createAccount': {
		params: { name: string; email: string; package: string };
		result: AccountReport | Refused;
	};
	'accounts.setAccount': {
		params: Scoped & { package?: string; subscription?: SubscriptionStatus };
		result: AccountReport | Refused;
	};
	/** `suspended: false` resumes it. */
	'accounts.suspendAccount': { params: Scoped & { suspended: boolean }; result: AccountReport | Refused };
	'accounts.listKeys': { params: Scoped & { after?: string }; result: Page<KeyReport, string> | Refused };
	/** `hash`: SHA-256 of the new key, hex, for no key crosses the bus; `expires_in`: ms, null for never. */
	'accounts.createKey': {
		params: Scoped & { hash: string; name: string; scopes: Scope[]; expires_in: number | null };
		result: KeyReport | Refused;
	};
	'accounts.revokeKey': { params: { key_id: string } | { hash: string }; result: KeyReport | Refused };
	/** `hash`: of the new key; `overlap`: ms that the old one still works. */
	'accounts.rollKey': {
		params: { key_id: string; hash: string; overlap: number };
		result: { old: KeyReport; new: KeyReport } | Refused;
	};
	'accounts.listPackages': { params: Record<string, never>; result: PackageReport[] };
	'accounts.setPackage': {
		params: { name: string; figures: Partial<PackageFigures> };
		result: PackageReport | Refused;
	};
	/** The audit log, oldest first; `since`: ISO 8601 UTC. */
	'accounts.readLog': {
		params: { account_id?: string; since?: string; after?: LogCursor };
		result: Page<LogEntry, LogCursor>;
	};
	/** From the gateways: requests that lacked a scope. False: tell it again later, with what came meanwhile. */
	'accounts.recordRefusal': {
		params: Scoped & { key_id: string; operation: string; scope: Scope; count: number };
		result: { recorded: boolean };
	};

	'catalog.createService': {
		params: Scoped & { body: CreateService; idempotency?: Idempotency };
		result: Created<Service>;
	};
	'catalog.listServices': { params: Scoped & { page: number; page_size: number; after?: number }; result: ServiceList };
	'catalog.getService': { params: Scoped & { service_id: number }; result: Service };
	'catalog.updateService': {
		params: Scoped & { service_id: number; body: UpdateService; if_match?: IfMatch };
		result: Service;
	};
	'catalog.deleteService': { params: Scoped & { service_id: number; if_match?: IfMatch }; result: 'ok' };
	'catalog.countServices': { params: Scoped; result: number };
	/** @throws service_not_found */
	'catalog.assertService': { params: Scoped & { service_id: number }; result: 'ok' };
	'catalog.listSlots': { params: Scoped & SlotListParams; result: TimeSlotList };
	'catalog.updateSlots': { params: Scoped & { body: UpdateTimeSlots }; result: { time_slots: TimeSlot[] } };
	/** Slots by id, in the order asked; null where there is none, or where it is another account's. */
	'catalog.slots': { params: { slots: SlotKey[] }; result: (TimeSlot | null)[] };
	/** Every date and slot from `from` to `to`, by date, then slot. `next` is the date to go on from; null at the end. */
	'catalog.occurrences': {
		params: Scoped & { service_id: number; from: string; to: string; limit: number };
		result: { occurrences: Occurrence[]; next: string | null };
	};

	'booking.create': { params: Scoped & CreateBookingParams; result: Created<Booking> };
	/** At most `limit` rows: from `offset`, or after the id `after`. */
	'booking.list': { params: Scoped & BookingListParams; result: { bookings: Booking[]; total_items: number } };
	'booking.get': { params: Scoped & { booking_id: number }; result: Booking };
	'booking.update': {
		params: Scoped & { booking_id: number; body: UpdateBooking; if_match?: IfMatch };
		result: Booking;
	};
	'booking.delete': { params: Scoped & { booking_id: number; if_match?: IfMatch }; result: 'ok' };
	'booking.getCustomer': { params: Scoped & { booking_id: number }; result: VersionedCustomer };
	'booking.updateCustomer': {
		params: Scoped & { booking_id: number; body: UpdateCustomer; if_match?: IfMatch };
		result: VersionedCustomer;
	};
	'booking.availability': {
		params: Scoped & { service_id: number; from: string; to: string };
		result: { availability: AvailabilityEntry[]; next: string | null };
	};
	/** Bookings that are not cancelled, by service id. */
	'booking.counts': { params: Scoped & { service_ids: number[] }; result: Record<number, number> };
	/** Removes every booking of a deleted service; `slots` are kept for the events. Repeatable. */
	'booking.closeService': { params: Scoped & { service_id: number; slots: TimeSlot[] }; result: 'ok' };

	/** For operators, as are the next ones: of every account. One page of the audit. */
	'booking.audit': { params: AuditParams; result: AuditPage };
	/** @throws time_slot_not_found */
	'booking.showPlace': { params: { time_slot_id: number; date: string }; result: PlaceReport };
	/** Of the process that answers: ask each one by its node. `place`: only what waits for this one. */
	'booking.queues': { params: { place?: string }; result: QueueReport };
	'booking.outbox': { params: Record<string, never>; result: OutboxReport };
	/** Whoever's slot it is; null where there is none. */
	'catalog.findSlot': {
		params: { time_slot_id: number };
		result: { account_id: string; slot: TimeSlot } | null;
	};
	/** Of the process that answers: every process has it. */
	'ops.process': { params: Record<string, never>; result: ProcessReport };
	/** Of the gateway that answers. */
	'gateway.limits': { params: Record<string, never>; result: LimitsReport };

	/** Appends to the accounts' event logs; an event that is there already counts as done. */
	'notifications.append': { params: { events: NewEvent[] }; result: 'ok' };
	'notifications.listEvents': {
		params: Scoped & { after: number; limit: number; types?: EventType[]; wait?: number };
		result: EventList;
	};
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
	'notifications.tailEvents': { params: Scoped & { limit: number }; result: EventReport[] };
	'notifications.webhookReports': { params: Scoped; result: WebhookReport[] };
	'notifications.latestDeliveries': { params: { webhook_id: number }; result: Delivery[] | Refused };
	'notifications.redeliverAny': { params: { delivery_id: number }; result: Delivery | Refused };
	'notifications.enableWebhook': { params: { webhook_id: number }; result: Webhook | Refused };
	'notifications.backlog': { params: Record<string, never>; result: BacklogReport };
	/** Keeps the directory of customers; an entry that is older than what is known is ignored. */
	'customer.record': { params: { entries: DirectoryEntry[] }; result: 'ok' };
}

export type ActionName = keyof Actions;
export type Params<K extends ActionName> = Actions[K]['params'];
export type Result<K extends ActionName> = Actions[K]['result'];

/** Each action of a service, with what it takes and answers. */
export type Handlers<Service extends string> = {
	[K in ActionName as K extends `${Service}.${infer Name}` ? Name : never]: (
		context: Context<Params<K>>,
	) => Promise<Result<K>>;
};

export interface Scoped {
	account_id: string;
}

export interface Principal {
	account_id: string;
	key_id: string;
	scopes: Scope[];
	/** ms since the epoch; null: never */
	expires_at: number | null;
	suspended: boolean;
	package: { name: string; rate: number | null; burst: number | null };
	/** Requests that were recorded of a UTC month (`YYYY-MM`), and at how many it ends; null: never, or overages follow */
	quota: { month: string; requests: number; limit: number | null };
}
export type Scope = 'read' | 'write';

/** Requests of an account in a UTC month, `YYYY-MM`. */
export interface RequestCount extends Scoped {
	month: string;
	requests: number;
}

/** Versions that `If-Match` names; `'*'` is any. An empty list matches none. */
export type IfMatch = '*' | number[];

/** `fingerprint`: SHA-256 of the request (operation, path, query, body as parsed, key order aside), hex. */
export interface Idempotency {
	key: string;
	fingerprint: string;
}

/** `replayed`: the first answer of an Idempotency-Key, not a new object. */
export interface Created<T> {
	data: T;
	replayed: boolean;
}

export interface VersionedCustomer {
	customer: Customer;
	version: number;
}

export interface SlotKey {
	account_id: string;
	time_slot_id: number;
}

/**
 * `all`: every slot on one page; 1,000 an answer, so go on with the last id as `after` until one has fewer. With `after`
 * a list that is fetched in pieces leaves out nothing where rows before it go meanwhile; `page` then says nothing.
 */
export interface SlotListParams {
	service_id?: number;
	page: number;
	page_size: number;
	all: boolean;
	after?: number;
}

/** `service_id`: from the query; the body may carry its own, and both must agree (the gateway checks that). */
export interface CreateBookingParams {
	service_id?: number;
	body: CreateBooking;
	idempotency?: Idempotency;
}

export interface BookingListParams {
	service_id: number;
	filters: BookingFilters;
	offset: number;
	limit: number;
	after?: number;
}

/** An event that has no place in an account's sequence yet. */
export type NewEvent = Omit<BookingEvent, 'sequence'> & Scoped;

/** A customer as of one version of its booking; `customer: null` when the booking was deleted. */
export interface DirectoryEntry extends Scoped {
	booking_id: number;
	version: number;
	customer: Customer | null;
}
