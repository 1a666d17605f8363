import type { Connection, Model } from 'mongoose';
import { Schema } from 'mongoose';
import type { Booking, BookingStatus, Customer } from '../../../shared/contract/schemas/booking.ts';
import type { BookingEventType, Previous } from '../../../shared/contract/schemas/event.ts';
import type { Metadata } from '../../../shared/contract/schemas/metadata.ts';
import { SKEW } from '../../../shared/engine/clock.ts';
import { accountScope } from '../../../shared/store/account-scope.ts';
import { schemaOptions } from '../../../shared/store/model.ts';
import { isEmbedded } from '../../../shared/store/open-store.ts';

/**
 * An event that is not yet in the event log. A creation leaves `data` to the relay, closing a service `id`, too (`toNewEvent`).
 */
export interface OutboxEntry {
	id?: string;
	type: BookingEventType;
	timestamp: string;
	data?: Booking;
	previous?: Previous;
	/** What nobody else can have at the same time and its change took (`heldKeys`); a creation leaves it to the relay, with `data` */
	took?: string[];
	/** The same that it gave up: until the event is in the log, who takes it next looks for it here (`outbox/event-order.ts`) */
	gave_up?: string[];
	/** With `gave_up`: above that of each waiting event that gave that up before (`untold-givers.ts`) */
	turn?: number;
	/** Of the request that caused it, while traces are on; only collectors of traces see it */
	traceparent?: string;
}

/** ms that a first answer is kept: 24 h by every process' clock */
export const IDEMPOTENCY_TTL = 24 * 60 * 60 * 1000 + SKEW;

/** What an Idempotency-Key remembers. */
interface IdempotencyRecord {
	/** Of the request */
	fingerprint: string;
	/** ms */
	at: number;
	/** The first one */
	answer: Booking;
}

/**
 * What a booking was promised when it took its place, by creation, a move, or a return from `cancelled`. A slot or a time zone
 * that changes later leaves it as it is, so what the API shows of a booking changes with its version only.
 */
export type Promised = Pick<Booking, 'starts_at' | 'ends_at' | 'timezone' | 'time_slot'>;

/** Fields that a deletion leaves as they are. None tells of a person but `idempotency`, which goes after 24 h. */
interface ImpersonalFields {
	_id: number;
	account_id: string;
	service_id: number;
	/** The service in whose lists it is shown; 0 once it is deleted */
	listed_under: number;
	/** The service whose `bookings_count` it is part of; 0 while it holds no seat */
	counted_under: number;
	time_slot_id: number;
	date: string;
	/** What it was promised when it took its place; missing in what an earlier version wrote */
	promised?: Promised;
	/** `starts_at` of it, ms: to sort by */
	starts_ms?: number;
	status: BookingStatus;
	/** When its hold ends, or ended where it expired; null or missing where it has none */
	expires_at?: string | null;
	/** `expires_at`, ms, while it is held; else 0 or missing (`states.ts`) */
	held_until?: number;
	/** The occurrence of which it holds a seat, `<slot>:<date>`; else '' */
	place: string;
	/** Which of its occurrence's, 0 or more; `NO_SEAT` while it holds none */
	seat: number;
	/** `<slot>:<date>:<kind>:<hash>` while it holds a seat and its customer can be told */
	customer_key: string;
	/** `<account>:<operation>:<key>` for at least 24 h, else `NO_KEY` */
	idempotency_key: string;
	/** Kept for 24 h, also once the booking is deleted: a retry gets the first answer, whatever it tells of a person */
	idempotency: IdempotencyRecord | null;
	/** When the first entry of the outbox came, ms; where it is empty 0, and `TOMBSTONE` once the booking is deleted */
	relay_at: number;
	version: number;
	/** Random, new with each write that changes the booking, and in the filter of the next one */
	write_id: string;
	/** `<version before it>:<write_id>` of the last writes, oldest first: a writer knows its own by them (`settleChange`) */
	last_writes?: string[];
	created_at: string;
	updated_at: string;
	/** A tombstone stays until its event is delivered and its idempotency key is 24 h old, after a DELETE an hour */
	deleted_at: string | null;
	/** Only after a DELETE: whether its answer was sent; until then one may be repeated */
	delete_answered?: boolean;
}

/** What may tell of a person: it leaves the booking once its deletion is in the event log. */
export interface PersonalFields {
	cancel_reason: string | null;
	message: string | null;
	/** Missing where there never was any */
	metadata?: Metadata;
	customer: Customer;
	/** The customer's address in lower case, for the list's filter */
	email_key: string;
	outbox: OutboxEntry[];
}

/**
 * A booking, and all that changes with it: each change is ONE write of this one document, so no crash leaves a half.
 *
 * Three unique indexes make it correct, no matter what fails around it: `seats` (one booking a seat, among those that hold one:
 * where `counted_under` is above 0), `customer_key` (one active booking a customer and occurrence), `with_key` (one booking an
 * Idempotency-Key, among those that have one). Where a booking has no `customer_key`, it holds the filler `free:<_id>`. Which fields
 * go together in which state is told by `states.ts`.
 *
 * Each of its fields is in one of two lists: a new one that may tell of a person does not compile until `SCRUBBED` has it.
 */
export type BookingDocument = ImpersonalFields & PersonalFields;

/** A booking that says what it was promised: what an earlier version wrote may not (`find-booking.ts`). */
export type WithPromise<B> = B & { promised: Promised };
export type PromisedBooking = WithPromise<BookingDocument>;

/** The fields by which bookings are shown, and put in order: reading all the others, too, would cost as much again. */
export const SHOWN = {
	_id: 1,
	account_id: 1,
	service_id: 1,
	time_slot_id: 1,
	date: 1,
	promised: 1,
	starts_ms: 1,
	status: 1,
	expires_at: 1,
	cancel_reason: 1,
	message: 1,
	metadata: 1,
	customer: 1,
	relay_at: 1,
	version: 1,
	created_at: 1,
	updated_at: 1,
} as const satisfies { [field in keyof BookingDocument]?: 1 };
export type ShownBooking = Pick<BookingDocument, keyof typeof SHOWN>;

/** What takes the place of the personal fields, the customer's aside. It does not compile until it names each of them. */
export const SCRUBBED: Required<Omit<PersonalFields, 'customer'>> = {
	cancel_reason: null,
	message: null,
	metadata: {},
	email_key: '',
	outbox: [],
};
/** The same of the customer. */
export const NOBODY: Record<Exclude<keyof Customer, 'id' | 'created_at' | 'updated_at'>, null> = {
	name: null,
	email: null,
	phone: null,
};

/**
 * Of bookings that hold a seat, also of deleted ones that still do (`states.ts`). Only they have entries in the index `seats`, so
 * who looks there asks for it.
 */
export const SEATED = { counted_under: { $gt: 0 } } as const;

/** `seat` of a booking that holds none */
export const NO_SEAT = -1;

/** `idempotency_key` of a booking that was made without one, or so long ago that the key is free */
export const NO_KEY = '';

/** Path of what waiting events gave up */
export const GAVE_UP = 'outbox.gave_up';

export type BookingModel = Model<BookingDocument>;

const Plain = Schema.Types.Mixed; // written whole by typed code; casting would cost 94 µs a document

const schema = new Schema<BookingDocument>(
	{
		_id: { type: Number, required: true },
		account_id: { type: String, required: true },
		service_id: { type: Number, required: true },
		listed_under: { type: Number, required: true },
		counted_under: { type: Number, required: true },
		time_slot_id: { type: Number, required: true },
		date: { type: String, required: true },
		promised: { type: Plain, default: undefined },
		starts_ms: Number,
		status: { type: String, required: true },
		expires_at: { type: String, default: undefined },
		held_until: Number,
		cancel_reason: { type: String, default: null },
		message: { type: String, default: null },
		metadata: { type: Plain, default: undefined },
		place: { type: String, default: '' },
		seat: { type: Number, required: true },
		customer_key: { type: String, required: true },
		idempotency_key: { type: String, required: true },
		idempotency: { type: Plain, default: null },
		customer: { type: Plain, required: true },
		email_key: { type: String, default: '' },
		outbox: { type: Plain, required: true },
		relay_at: { type: Number, default: 0 },
		version: { type: Number, required: true },
		write_id: { type: String, required: true },
		last_writes: { type: [String], default: undefined },
		created_at: { type: String, required: true },
		updated_at: { type: String, required: true },
		deleted_at: { type: String, default: null },
		delete_answered: Boolean,
	},
	schemaOptions,
);
schema.index({ place: 1, seat: 1 }, { unique: true, name: 'seats', partialFilterExpression: SEATED });
schema.index({ customer_key: 1 }, { unique: true, name: 'customer_key' });
schema.index(
	{ idempotency_key: 1 },
	{ unique: true, name: 'with_key', partialFilterExpression: { idempotency_key: { $gt: NO_KEY } } },
);
schema.index({ relay_at: 1, _id: 1 }, { name: 'with_events', partialFilterExpression: { relay_at: { $gt: 0 } } });
schema.index({ relay_at: 1, _id: 1 }, { name: 'tombstones', partialFilterExpression: { deleted_at: { $gt: '' } } });
schema.index({ account_id: 1, listed_under: 1, _id: 1 }, { name: 'listed' });
schema.index({ account_id: 1, listed_under: 1, date: 1, _id: 1 }, { name: 'listed_by_date' });
schema.index({ account_id: 1, listed_under: 1, status: 1, _id: 1 }, { name: 'listed_by_status' });
schema.index({ account_id: 1, listed_under: 1, time_slot_id: 1, _id: 1 }, { name: 'listed_by_slot' });
schema.index(
	{ account_id: 1, listed_under: 1, email_key: 1, _id: 1 },
	{ name: 'with_email', partialFilterExpression: { email_key: { $gt: '' } } },
);
schema.index(
	{ account_id: 1, listed_under: 1, 'customer.phone': 1, _id: 1 },
	{ name: 'with_phone', partialFilterExpression: { 'customer.phone': { $gt: '' } } },
);
schema.index({ account_id: 1, listed_under: 1, updated_at: 1, _id: 1 }, { name: 'listed_by_update' });
schema.index({ account_id: 1, listed_under: 1, starts_ms: 1, _id: 1 }, { name: 'listed_by_start' });
schema.index({ account_id: 1, counted_under: 1, date: 1, place: 1 }, { name: 'counted_by_occurrence' });
// Only of bookings that are held: all others pay nothing for these.
const held = { partialFilterExpression: { held_until: { $gt: 0 } } };
schema.index({ held_until: 1 }, { ...held, name: 'holds' });
schema.index({ account_id: 1, counted_under: 1, held_until: 1 }, { ...held, name: 'holds_of_service' });
schema.plugin(accountScope);

/** Where several processes tell of bookings, each finds what others have not told yet (`untold-givers.ts`). */
const clusterSchema = schema.clone();
clusterSchema.index({ [GAVE_UP]: 1 }, { name: 'gave_up', partialFilterExpression: { [GAVE_UP]: { $gt: '' } } });

export function bookingModel(connection: Connection): BookingModel {
	const ofForm = isEmbedded(connection) ? schema : clusterSchema;
	return connection.model<BookingDocument>('Booking', ofForm, 'bookings');
}

/** What the API shows of a booking; the order of the fields is part of the interface. */
export function toBooking(document: WithPromise<ShownBooking>): Booking {
	const { starts_at, ends_at, timezone, time_slot } = document.promised;
	return {
		id: document._id,
		service_id: document.service_id,
		date: document.date,
		time_slot_id: document.time_slot_id,
		starts_at,
		ends_at,
		timezone,
		status: document.status,
		...(document.status === 'cancelled' ? { cancel_reason: document.cancel_reason ?? '' } : {}),
		expires_at: document.expires_at ?? null,
		message: document.message,
		metadata: document.metadata ?? {},
		customer: document.customer,
		customer_id: document.customer.id,
		time_slot,
		user_id: document.account_id,
		version: document.version,
		created_at: document.created_at,
		updated_at: document.updated_at,
	};
}
