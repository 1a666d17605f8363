import type { Booking } from './schemas/booking.ts';
import type { Rules } from './schemas/rules.ts';
import type { TimeSlot } from './schemas/time-slot.ts';
import type { Webhook } from './schemas/webhook.ts';

/** A service, for operators. */
export interface ServiceReport {
	id: number;
	name: string;
	timezone: string;
	/** How many time slots it has */
	slots: number;
	rules: Rules;
}

/** What can be wrong with a booking, a slot on a date, or their keys. 0 of them is the promise. */
export type FindingKind =
	| 'seat_taken_twice'
	| 'customer_twice'
	| 'overbooked'
	| 'seat_above_maximum'
	| 'wrong_keys'
	| 'holds_after_end'
	| 'service_closed'
	| 'slot_missing'
	| 'foreign_booking'
	| 'wrong_list'
	| 'wrong_hold'
	| 'hold_late'
	| 'wrong_idempotency'
	| 'event_forgotten'
	| 'event_late';

export interface Finding {
	kind: FindingKind;
	/** `<slot>:<date>` */
	place: string;
	booking_ids: number[];
	detail: string;
	/** What to do about it where it is not repaired */
	advice: string;
	/** What `--repair` changed; null where it changed nothing */
	repaired: string | null;
}

/** More bookings than the maximum of now, as a lowering leaves them: no finding, but worth knowing. */
export interface AboveMaximum {
	place: string;
	active: number;
	max: number;
	/** How many of them hold a seat that the maximum of now does not have */
	seats_above: number;
}

/** Where an audit goes on: first every booking by itself, by id, then every slot and date. */
export type AuditCursor = { booking: number } | { place: string };

export interface AuditParams {
	/** Only this service's bookings */
	service_id?: number;
	/** Missing: from the start */
	after?: AuditCursor;
	/** Mends what is safe to mend in one write of one booking */
	repair: boolean;
}

/** A piece of an audit, small enough for one message. */
export interface AuditPage {
	bookings: number;
	places: number;
	findings: Finding[];
	above_maximum: AboveMaximum[];
	/** null at the end */
	next: AuditCursor | null;
}

/** A slot on a date. No customer is named. */
export interface PlaceReport {
	time_slot_id: number;
	date: string;
	service_id: number;
	account_id: string;
	/** On this date */
	max: number;
	/** The date override that the maximum is of; null: it is the slot's own */
	override_id: number | null;
	/** Of the service */
	rules: Rules;
	taken: { booking_id: number; seat: number; status: string }[];
	/** Whose hold has ended takes none, though it is listed until it is cancelled */
	free: number;
	/** null where Redis does not answer */
	lock: { holder: string | null; waiting: number; ttl: number } | null;
}

/** A booking, without its customer and its texts. */
export interface BookingReport {
	booking_id: number;
	account_id: string;
	service_id: number;
	time_slot_id: number;
	date: string;
	status: string;
	/** null where it holds none */
	seat: number | null;
	/** When its hold ends, or ended; null where it has none */
	expires_at: string | null;
	version: number;
	/** What it was promised when it took its place */
	promised: Pick<Booking, 'starts_at' | 'ends_at' | 'timezone' | 'time_slot'>;
	/** Its time slot as it is now; null where there is none any more */
	slot_now: SlotOnDate | null;
	/** Whether it is when the slot says now; null where there is none any more */
	in_step: boolean | null;
	created_at: string;
	updated_at: string;
	/** Of its events, those that are not yet in the event log */
	waiting_events: number;
}

/** A time slot and its service as they are now, on a date. */
export interface SlotOnDate {
	time_slot: TimeSlot;
	timezone: string;
	/** null where it is not on that date */
	starts_at: string | null;
	ends_at: string | null;
	/** On this date */
	max: number;
	override_id: number | null;
}

/** What waits in one booking process. */
export interface QueueReport {
	/** Claims of a seat that wait for their batch */
	waiting: number;
	lock: {
		acquired: number;
		lock_free: number;
		lost: number;
		/** For how long its leases were held, ms */
		held: HoldReport;
		/** For how long a lease is given, ms: at least 10 times the p99 of `held` */
		ttl: number;
		degraded: boolean;
	};
}

/** What one gateway limits. */
export interface LimitsReport {
	/** `alone`: how many decisions the gateway made without Redis; `degraded`: whether it does now */
	rate: { taken: number; refused: number; alone: number; degraded: boolean };
	/** Answers 429 instead of 401, and networks that failed within the last minute */
	failed_authentication: { refused: number; networks: number };
}

/** Bookings whose events are not yet in the event log and the customers' directory. */
export interface OutboxReport {
	/** Exact up to 10,000 */
	waiting: number;
	/** ms; 0 where none waits */
	oldest: number;
}

/**
 * Whether a store takes changes. `ops export --close` makes it `quiet`, when webhooks' attempts end and none begins, then
 * `closed`, when nothing is written any more; `ops reopen` opens it again. It is `unfinished` from the begin of an import to
 * its end.
 */
export type Closing = 'open' | 'quiet' | 'closed' | 'unfinished';

/** One process of the installation. */
export interface ProcessReport {
	pid: number;
	version: string;
	/** s */
	uptime: number;
	/** Resident memory, MiB */
	memory: number;
	ready: boolean;
	state: string;
	/** Bus, store and services behind a gateway: `ok` or `unreachable` */
	checks: Record<string, string>;
	/** Whether its store takes changes (`open`), as it heard last; null where it has none */
	closing: Closing | null;
}

/** For how long leases of the lock were held, ms. */
export interface HoldReport {
	count: number;
	p50: number;
	p99: number;
	max: number;
}

/** A webhook, and where its queue stands. Counts are exact up to 10,000; 10,001 stands for more. */
export interface WebhookReport extends Webhook {
	/** Deliveries that wait for an attempt */
	waiting: number;
	/** Deliveries that were given up in the last 30 days */
	failed: number;
}

/** What waits in all webhooks' queues. */
export interface BacklogReport {
	/** Deliveries that wait for an attempt, retries included; exact up to 10,000 */
	waiting: number;
	/** ms for which the oldest attempt has been due; 0 where none is */
	oldest: number;
	/** Webhooks of which every attempt fails, those that have failed the longest first; at most 100 */
	failing: { account_id: string; webhook_id: number; since: string }[];
}

/** An event, without the customer that it names. */
export interface EventReport {
	sequence: number;
	id: string;
	type: string;
	timestamp: string;
	/** null where it is not about a single one */
	booking_id: number | null;
}

/** What became of some webhooks when their secrets were sealed anew. */
export interface RewrapReport {
	/** How many were looked at */
	webhooks: number;
	/** How many of them are sealed anew */
	sealed: number;
	/** Ids of those that stay closed: another key sealed them */
	closed: number[];
	/** The last id; null where there are no more */
	next: number | null;
}
