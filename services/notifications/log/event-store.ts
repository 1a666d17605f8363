import { type Model, type QueryFilter, Schema } from 'mongoose';
import type { NewErasure, NewEvent } from '../../../shared/contract/actions.ts';

import type { BookingEvent, Event, EventType, Previous } from '../../../shared/contract/schemas/event.ts';
import { among, ofAccounts } from '../../../shared/store/account-scope.ts';
import { findPlain } from '../../../shared/store/find-plain.ts';
import { modelOf, number, text } from '../../../shared/store/model.ts';
import { bulkWriteErrors, isDuplicateKey, retryDeadlock } from '../../../shared/store/write-errors.ts';

/** An event with its number in its account's log. Nothing but an erasure changes it; the sweep removes it after 30 days. */
export interface EventDocument {
	/** The event's id, `evt_<booking>_<version>` */
	_id: string;
	account_id: string;
	/** From 1, without a gap per account */
	sequence: number;
	type: EventType;
	/** When the change happened */
	timestamp: string;
	data: Event['data'];
	/** Missing in what an earlier version wrote */
	previous?: Previous;
	/** When it came into the log, ISO 8601; its 30 days begin here, because a stalled relay may bring it late */
	appended_at: string;
	/** Of the request that caused it, while traces are on: its deliveries belong to that trace. Never shown. */
	traceparent?: string;
}

/** One of a booking. */
export type BookingEventDocument = EventDocument & Pick<BookingEvent, 'type' | 'data'>;

export function isOfBooking(event: EventDocument): event is BookingEventDocument {
	return event.type !== 'customer.erased';
}

export type EventModel = Model<EventDocument>;

export const eventModel = modelOf<EventDocument>('Event', 'events', {
	fields: {
		_id: text,
		account_id: text,
		sequence: number,
		type: text,
		timestamp: text,
		data: { type: Schema.Types.Mixed, required: true }, // shown as it came, key order included
		previous: { type: Schema.Types.Mixed, default: undefined },
		appended_at: text,
		traceparent: { type: String },
	},
	unique: { sequence: { account_id: 1, sequence: 1 } },
	indexes: { by_type: { account_id: 1, type: 1, sequence: 1 } },
});

/** @param appendedAt ISO 8601 */
export function toDocument(event: NewEvent | NewErasure, sequence: number, appendedAt: string): EventDocument {
	return {
		_id: event.id,
		account_id: event.account_id,
		sequence,
		type: event.type,
		timestamp: event.timestamp,
		data: event.data,
		previous: event.previous,
		appended_at: appendedAt,
		...(event.traceparent === undefined ? {} : { traceparent: event.traceparent }),
	};
}

/** What the API shows of an event; the order of the fields is part of the interface. */
export function toEvent(document: EventDocument): Event {
	return {
		id: document._id,
		type: document.type,
		timestamp: document.timestamp,
		sequence: document.sequence,
		data: document.data,
		previous: document.previous ?? {},
	} as Event;
}

export interface EventKey {
	account_id: string;
	event_id: string;
}

type Oldest = Pick<EventDocument, 'account_id' | 'appended_at'>;
type Told = Pick<EventDocument, '_id' | 'type' | 'sequence'>;
type Age = Pick<EventDocument, 'sequence' | 'appended_at'>;

/** Every read and write of the collection of events. What is true of the log as a whole is `EventLog`'s. */
export class EventStore {
	readonly #model: EventModel;

	constructor(model: EventModel) {
		this.#model = model;
	}

	/**
	 * Inserts events in the order given; the first one that is refused ends it.
	 * @returns false where the store refused one: a number or an event that is there, or a deadlock
	 */
	async insert(events: EventDocument[]): Promise<boolean> {
		try {
			await retryDeadlock(() => this.#model.insertMany(events, { ordered: true, lean: true }));
			return true;
		} catch (error) {
			if (isDuplicateKey(error) || bulkWriteErrors(error)) return false;
			throw error;
		}
	}

	/**
	 * The end of an account's log; 0 where it has no event.
	 * @param above a sequence that it is known to have reached; the search begins there
	 */
	async newestSequence(account_id: string, above = 0): Promise<number> {
		const filter = { account_id, sequence: { $gt: above } };
		const newest = await this.#model.findOne(filter, { sequence: 1 }).sort({ sequence: -1 }).lean();
		return newest?.sequence ?? above;
	}

	/**
	 * Whether the account's log has got as far as this sequence: the sweep keeps the newest event. What a read shows may lag
	 * behind what another one has shown, where a new primary does not know yet what a majority has. So "no" is said only by a
	 * linearizable read, before which the primary asks the others; embedded, each read is one.
	 */
	async reaches(account_id: string, sequence: number): Promise<boolean> {
		const filter = { account_id, sequence: { $gte: sequence } };
		const some = () => this.#model.findOne(filter, { sequence: 1 }).lean();
		return (await some()) !== null || (await some().readConcern('linearizable')) !== null;
	}

	/** Those of the ids that are in the account's log. */
	async present(account_id: string, ids: string[]): Promise<Set<string>> {
		const found = await this.#model.find({ account_id, _id: { $in: ids } }, { _id: 1 }).lean();
		return new Set(found.map(({ _id }) => _id));
	}

	/** The events that have these ids, of any of the accounts: whose each one is remains to be compared. */
	findMany(keys: readonly EventKey[]): Promise<EventDocument[]> {
		const filter = { _id: among(keys.map(({ event_id }) => event_id)), ...ofAccounts(keys) };
		return this.#model.find(filter).lean<EventDocument[]>();
	}

	/**
	 * The next `count` events of an account behind `after`. A log has no hole but its beginning: so many sequences are enough
	 * to look at, and a server that sorts whatever it has found finds no more. Where they are none, it looks at all the others.
	 */
	async after(account_id: string, after: number, count: number): Promise<EventDocument[]> {
		const window =
			after === 0 ? [] : await this.#oldest({ account_id, sequence: { $gt: after, $lte: after + count } }, count);
		return window.length > 0 ? window : this.#oldest({ account_id, sequence: { $gt: after } }, count);
	}

	#oldest(filter: QueryFilter<EventDocument>, count: number): Promise<EventDocument[]> {
		return this.#model.find(filter).sort({ sequence: 1 }).limit(count).lean<EventDocument[]>();
	}

	/** The same of one type, up to the sequence `end`. */
	ofType(
		{ account_id, type }: Pick<EventDocument, 'account_id' | 'type'>,
		after: number,
		end: number,
		count: number,
	): Promise<EventDocument[]> {
		const filter = { account_id, type, sequence: { $gt: after, $lte: end } };
		return this.#model.find(filter).sort({ sequence: 1 }).limit(count).lean<EventDocument[]>();
	}

	/** What tells the events of a booking apart, by sequence: their ids begin with the booking's. */
	async ofBooking(account_id: string, booking_id: number): Promise<Told[]> {
		const ids = { $gte: `evt_${booking_id}_`, $lt: `evt_${booking_id}\u0060` }; // the character after `_`
		const window = { hint: '_id_', projection: { _id: 1, type: 1, sequence: 1 } } as const;
		const found: Told[] = await findPlain(this.#model, { account_id, _id: ids }, window);
		return found.sort((left, right) => left.sequence - right.sequence);
	}

	/** Events of an account by their ids, by sequence. */
	async byIds(account_id: string, ids: string[]): Promise<EventDocument[]> {
		if (ids.length === 0) return [];
		const found = await findPlain(this.#model, { account_id, _id: { $in: ids } }, { hint: '_id_' });
		return found.sort((left, right) => left.sequence - right.sequence);
	}

	/** The oldest event of the account that follows `account_id`; null behind the last one. */
	oldestBehind(account_id: string): Promise<Oldest | null> {
		const oldest = { sort: { account_id: 1, sequence: 1 }, everyAccount: true };
		const fields = { account_id: 1, appended_at: 1 } as const;
		return this.#model.findOne({ account_id: { $gt: account_id } }, fields, oldest).lean<Oldest>();
	}

	/** The ages of an account's oldest events before the sequence `end`. */
	oldest(account_id: string, end: number, count: number): Promise<Age[]> {
		const filter = { account_id, sequence: { $lt: end } };
		return this.#model.find(filter, { sequence: 1, appended_at: 1 }).sort({ sequence: 1 }).limit(count).lean<Age[]>();
	}

	/** What an erasure left of parts of an event. Another person's may rewrite the others meanwhile. */
	async rewrite(
		{ _id, account_id }: EventDocument,
		$set: Partial<Pick<EventDocument, 'data' | 'previous'>>,
	): Promise<void> {
		await retryDeadlock(() => this.#model.updateOne({ _id, account_id }, { $set }));
	}

	/** Removes the beginning of an account's log. @returns how many events that were */
	async removeUpTo(account_id: string, sequence: number): Promise<number> {
		return (await this.#model.deleteMany({ account_id, sequence: { $lte: sequence } })).deletedCount;
	}
}
