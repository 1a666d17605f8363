import type { Connection, Model } from 'mongoose';
import { Schema } from 'mongoose';
import type { NewEvent } from '../../../shared/contract/actions.ts';
import type { Booking } from '../../../shared/contract/schemas/booking.ts';
import type { BookingEvent, EventType } from '../../../shared/contract/schemas/event.ts';
import { accountScope } from '../../../shared/store/account-scope.ts';
import { schemaOptions } from '../../../shared/store/schema-options.ts';

/** An event with its number in its account's log. It never changes; the sweep removes it after 30 days. */
export interface EventDocument {
	/** The event's id, `evt_<booking>_<version>` */
	_id: string;
	account_id: string;
	/** From 1, without a gap per account */
	sequence: number;
	type: EventType;
	/** When the change happened */
	timestamp: string;
	data: Booking;
	/** When it came into the log, ISO 8601; its 30 days begin here, because a stalled relay may bring it late */
	appended_at: string;
	/** Of the request that caused it, while traces are on: its deliveries belong to that trace. Never shown. */
	traceparent?: string;
}

export type EventModel = Model<EventDocument>;

const schema = new Schema<EventDocument>(
	{
		_id: { type: String, required: true },
		account_id: { type: String, required: true },
		sequence: { type: Number, required: true },
		type: { type: String, required: true },
		timestamp: { type: String, required: true },
		data: { type: Schema.Types.Mixed, required: true }, // shown as it came, key order included
		appended_at: { type: String, required: true },
		traceparent: { type: String },
	},
	schemaOptions,
);
schema.index({ account_id: 1, sequence: 1 }, { unique: true, name: 'sequence' });
schema.index({ account_id: 1, type: 1, sequence: 1 }, { name: 'by_type' });
schema.plugin(accountScope);

export function eventModel(connection: Connection): EventModel {
	return connection.model<EventDocument>('Event', schema, 'events');
}

/** @param appendedAt ISO 8601 */
export function toDocument(event: NewEvent, sequence: number, appendedAt: string): EventDocument {
	return {
		_id: event.id,
		account_id: event.account_id,
		sequence,
		type: event.type,
		timestamp: event.timestamp,
		data: event.data,
		appended_at: appendedAt,
		...(event.traceparent === undefined ? {} : { traceparent: event.traceparent }),
	};
}

/** What the API shows of an event; the order of the fields is part of the interface. */
export function toEvent(document: EventDocument): BookingEvent {
	return {
		id: document._id,
		type: document.type,
		timestamp: document.timestamp,
		sequence: document.sequence,
		data: document.data,
	};
}
