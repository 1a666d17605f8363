import type { QueryFilter } from 'mongoose';
import { timestamp } from '../../../shared/engine/clock.ts';
import { randomBase62 } from '../../../shared/engine/ids.ts';
import { ofAccounts } from '../../../shared/store/account-scope.ts';
import { updateManyPlain } from '../../../shared/store/update-plain.ts';
import { traceOfEvent } from '../../../shared/tracing/tracing.ts';
import { type BookingDocument, type BookingModel, GAVE_UP, NOBODY, SCRUBBED, SEATED } from './booking.model.ts';
import { remembered } from './settle-change.ts';
import { deletedWithServiceFields, TOMBSTONE, UNCOUNTED } from './states.ts';

/** Tombstones that are removed together */
const REMOVED = 500;

/** Fields to set where a booking must not tell of a person any more: `SCRUBBED`, and the customer's one by one */
const WITHOUT_PERSON = {
	...SCRUBBED,
	...Object.fromEntries(Object.keys(NOBODY).map((field) => [`customer.${field}`, null])),
};

/** Of the bookings with events in their outbox: those whose events came until a moment (ms), these, a service's, or an account's. */
export interface Undelivered {
	until?: number;
	ids?: number[];
	service_id?: number;
	account_id?: string;
}

const OCCUPANT = {
	account_id: 1,
	service_id: 1,
	time_slot_id: 1,
	date: 1,
	status: 1,
	held_until: 1,
	place: 1,
	seat: 1,
	customer_key: 1,
	created_at: 1,
	deleted_at: 1,
} as const;
/** A booking that holds a seat, with what the capacity audit judges it by; the engine needs less (`Occupant`). */
export type OccupantDocument = Pick<BookingDocument, '_id' | keyof typeof OCCUPANT>;

const everyAccount = { everyAccount: true } as const;

/**
 * Reads and writes that are about every account's bookings: for relay, sweeps, audit and operators. Elsewhere in booking
 * only batches ask about several accounts at once, each key with its own (`matchOwned`).
 */
export class AllBookings {
	readonly #model: BookingModel;

	constructor(model: BookingModel) {
		this.#model = model;
	}

	/**
	 * Deletes bookings along with their service; what moved to another one meanwhile stays. The relay renders their events.
	 * @param now ms
	 */
	async deleteWithService(service_id: number, ids: number[], now: number): Promise<void> {
		const at = timestamp(now);
		const write_id = randomBase62(12);
		const update = {
			$set: { ...deletedWithServiceFields(at), updated_at: at, relay_at: now, write_id },
			$inc: { version: 1 },
			$push: {
				outbox: { type: 'booking.deleted' as const, timestamp: at, ...traceOfEvent() },
				last_writes: remembered(write_id),
			},
			$unset: { held_until: 1 as const },
		};
		await this.#model.updateMany({ _id: { $in: ids }, service_id, deleted_at: null }, update).setOptions(everyAccount);
	}

	/**
	 * Bookings whose events wait, or of which the directory is still to hear, those that have waited longest first.
	 * @param limit 0: none
	 * @param after the last one of the page before, where that is still waiting
	 */
	async undelivered(
		{ until, ids, service_id, account_id }: Undelivered,
		limit: number,
		after?: Pick<BookingDocument, '_id' | 'relay_at'>,
	): Promise<BookingDocument[]> {
		const { relay_at = 0, _id = 0 } = after ?? {};
		const owners = { ...(service_id !== undefined && { service_id }), ...(account_id !== undefined && { account_id }) };
		const named = ids === undefined ? {} : { $in: ids };
		const filter = {
			...owners,
			relay_at: { $gt: relay_at, ...(until !== undefined && { $lte: until }) },
			...(ids !== undefined && { _id: named }),
		};
		const sort = { relay_at: 1, _id: 1 } as const;
		if (after === undefined) return this.#find(filter, {}, { sort, limit });
		const together = { ...owners, relay_at, _id: { ...named, $gt: _id } };
		const same = await this.#find(together, {}, { sort, limit });
		if (same.length >= limit) return same;
		return [...same, ...(await this.#find(filter, {}, { sort, limit: limit - same.length }))];
	}

	/** Bookings of which an event waits that gave up one of these keys (`heldKeys`), or any. */
	untoldThatGaveUp(keys: string[] | 'any'): Promise<BookingDocument[]> {
		// `$gt` says no more than `$in`, but the index is about such events only.
		const gaveUp = keys === 'any' ? { $gt: '' } : { $in: keys, $gt: '' };
		const filter = { [GAVE_UP]: gaveUp, relay_at: { $gt: 0 } };
		return this.#find(filter as QueryFilter<BookingDocument>);
	}

	/** Bookings whose events came after a moment (ms), those of the clock that is furthest ahead first. */
	undeliveredAfter(moment: number, limit: number): Promise<Pick<BookingDocument, '_id' | 'version' | 'relay_at'>[]> {
		const filter = { relay_at: { $gt: Math.max(0, moment) } };
		return this.#find(filter, { version: 1, relay_at: 1 }, { sort: { relay_at: -1 }, limit });
	}

	/** How many bookings have events that wait, exact up to `limit`, and since when (ms) the first of them does. */
	async waiting(limit: number): Promise<{ count: number; since: number | undefined }> {
		const filter = { relay_at: { $gt: 0 } };
		const [count, [oldest]] = await Promise.all([
			this.#model.countDocuments(filter, { limit, ...everyAccount }),
			this.#find(filter, { relay_at: 1 }, { sort: { relay_at: 1 }, limit: 1 }),
		]);
		return { count, since: oldest?.relay_at };
	}

	/**
	 * Empties the outboxes of bookings that did not change since they were read. Of those that did, it takes out what is
	 * delivered. Who was deleted along with the service gives up its place now (`states.ts`). Tombstones stay for a while,
	 * scrubbed: by them a writer whose answer was lost finds out what became of its write, and a retry under the booking's
	 * Idempotency-Key finds its first answer.
	 */
	async clearOutboxes(delivered: BookingDocument[]): Promise<void> {
		for (const [version, group] of Map.groupBy(delivered, (document) => document.version)) {
			const alive = group.filter((document) => document.deleted_at === null);
			const dead = group.filter((document) => document.deleted_at !== null);
			const count = await this.#set(alive, version, { outbox: [], relay_at: 0 });
			if (count < alive.length) {
				await Promise.all(alive.map((document) => this.#takeOut(document, document.updated_at)));
			}
			await this.#set(dead, version, { relay_at: TOMBSTONE, ...UNCOUNTED, ...WITHOUT_PERSON });
		}
	}

	/** Takes out of outboxes what is delivered, where the rest has to wait. @param delivered with that in their outbox alone */
	async takeOut(delivered: BookingDocument[]): Promise<void> {
		await Promise.all(delivered.map((document) => this.#takeOut(document, document.outbox.at(-1)!.timestamp)));
	}

	/**
	 * Removes tombstones whose events are delivered.
	 * @param before those deleted before this moment, ms
	 * @param answeredBefore of these, those whose key was used before this moment, ms; left out: those without a key
	 */
	async removeTombstones(before: number, answeredBefore?: number): Promise<void> {
		const filter = {
			relay_at: TOMBSTONE,
			deleted_at: { $gt: '', $lt: new Date(before).toISOString() },
			...(answeredBefore === undefined ? { idempotency: null } : { 'idempotency.at': { $lt: answeredBefore } }),
		};
		for (let last = 0; ; ) {
			const rest = { ...filter, _id: { $gt: last } };
			const page = await this.#find(rest, { _id: 1 }, { sort: { _id: 1 }, limit: REMOVED, hint: 'tombstones' });
			if (page.length === 0) return;
			const ids = page.map(({ _id }) => _id);
			last = ids.at(-1)!;
			await this.#model.deleteMany({ _id: { $in: ids }, relay_at: TOMBSTONE }, everyAccount);
		}
	}

	/** Bookings whose hold ended until a moment (ms), those that ended first. */
	expired(until: number, limit: number): Promise<BookingDocument[]> {
		return this.#find({ held_until: { $gt: 0, $lte: until } }, {}, { sort: { held_until: 1 }, limit, hint: 'holds' });
	}

	/** A page of all bookings, by id. */
	after(id: number, limit: number): Promise<BookingDocument[]> {
		return this.#find({ _id: { $gt: id } }, {}, { sort: { _id: 1 }, limit });
	}

	byIds(ids: number[]): Promise<BookingDocument[]> {
		return this.#find({ _id: { $in: ids } });
	}

	/** A page of all bookings that hold a seat, by occurrence; also of deleted ones that do (`states.ts`). */
	occupantsAfter(occurrence: string, limit: number): Promise<OccupantDocument[]> {
		return this.#find({ place: { $gt: occurrence }, ...SEATED }, OCCUPANT, { sort: { place: 1 }, limit });
	}

	occupantsOf(occurrences: string[]): Promise<OccupantDocument[]> {
		return this.#find({ place: { $in: occurrences }, ...SEATED }, OCCUPANT);
	}

	#find(
		filter: QueryFilter<BookingDocument>,
		projection: { [path in keyof BookingDocument]?: 1 } = {},
		options: { sort?: { [path in keyof BookingDocument]?: 1 | -1 }; limit?: number; hint?: string } = {},
	): Promise<BookingDocument[]> {
		return this.#model.find(filter, projection, { ...options, ...everyAccount }).lean<BookingDocument[]>();
	}

	/** @returns how many were still at this version */
	async #set(documents: BookingDocument[], version: number, fields: Record<string, unknown>): Promise<number> {
		if (documents.length === 0) return 0;
		const filter = { _id: { $in: documents.map((document) => document._id) }, ...ofAccounts(documents), version };
		return updateManyPlain(this.#model, filter, { $set: fields });
	}

	/**
	 * Without this, the outbox of a booking that changes all the time would grow, and each message repeat it.
	 * @param since what is left in it came after that; with an older time it would be called late, though it is told at once
	 */
	async #takeOut({ _id, version, outbox }: BookingDocument, since: string): Promise<void> {
		const ids = outbox.map((entry) => entry.id);
		const filter = { _id, version: { $gte: version }, relay_at: { $gt: 0 } };
		const update = { $pull: { outbox: { id: { $in: ids } } }, $set: { relay_at: Date.parse(since) } };
		await this.#model.updateOne(filter, update).setOptions(everyAccount);
	}
}
