import type { QueryFilter } from 'mongoose';
import { isEmbedded } from '../../../shared/store/open-store.ts';
import { type BookingDocument, type BookingModel, GAVE_UP, type OutboxEntry } from './booking.model.ts';

const everyAccount = { everyAccount: true } as const;

/**
 * Which waiting events gave up which keys (`heldKeys`), so that whoever takes one can tell of that first (ADR 52). A cluster's
 * store has an index of them. A process that is alone with its store knows all that it wrote, and reads once what an earlier
 * one left.
 */
export class UntoldGivers {
	readonly #model: BookingModel;
	/** By key: the bookings by their event */
	readonly #known: Map<string, Map<string, number>> | undefined;
	#left: Promise<void> | undefined;

	constructor(model: BookingModel) {
		this.#model = model;
		this.#known = isEmbedded(model.db) ? new Map() : undefined;
	}

	/** Bookings of which an event waits that gave up one of these keys. */
	async find(keys: string[], limit: number): Promise<BookingDocument[]> {
		const waiting = { relay_at: { $gt: 0 } };
		// `$gt` says no more, but the index is about such events only.
		if (this.#known === undefined) return this.#read({ [GAVE_UP]: { $in: keys, $gt: '' }, ...waiting }, limit);
		this.#left ??= this.#readLeft();
		await this.#left;
		const ids = new Set(keys.flatMap((key) => [...(this.#known!.get(key)?.values() ?? [])]));
		return ids.size === 0 ? [] : this.#read({ _id: { $in: [...ids] }, ...waiting }, limit);
	}

	/**
	 * Before a change is written that may give up keys. As long as the booking has them, all others that are found to have given
	 * them up did so before: its turn is behind theirs. No clock could tell.
	 * @param outbox its events
	 */
	async begin({ _id }: BookingDocument, outbox: readonly OutboxEntry[]): Promise<void> {
		const givers = outbox.filter(({ gave_up }) => gave_up !== undefined);
		if (givers.length === 0) return;
		const keys = new Set(givers.flatMap(({ gave_up }) => gave_up!));
		const others = (await this.find([...keys], 0)).flatMap((other) => other.outbox);
		const before = others.filter(({ gave_up = [] }) => gave_up.some((key) => keys.has(key)));
		const turn = 1 + Math.max(0, ...before.map((entry) => entry.turn ?? 0));
		for (const giver of givers) giver.turn = turn;
		this.#note(_id, givers);
	}

	/** The change was not written, nor will be. */
	drop(outbox: readonly OutboxEntry[]): void {
		for (const { id, gave_up = [] } of outbox) {
			for (const key of gave_up) {
				const events = this.#known?.get(key);
				events?.delete(id!);
				if (events?.size === 0) this.#known!.delete(key);
			}
		}
	}

	/** The log has all that these bookings' outboxes held. */
	told(documents: readonly BookingDocument[]): void {
		for (const { outbox } of documents) this.drop(outbox);
	}

	#note(booking_id: number, outbox: readonly OutboxEntry[]): void {
		if (this.#known === undefined) return;
		for (const { id, gave_up = [] } of outbox) {
			for (const key of gave_up) {
				const events = this.#known.get(key) ?? new Map<string, number>();
				this.#known.set(key, events.set(id!, booking_id));
			}
		}
	}

	async #readLeft(): Promise<void> {
		try {
			const left = await this.#read({ [GAVE_UP]: { $gt: '' }, relay_at: { $gt: 0 } }, 0);
			for (const { _id, outbox } of left) this.#note(_id, outbox);
		} catch (error) {
			this.#left = undefined;
			throw error;
		}
	}

	#read(filter: object, limit: number): Promise<BookingDocument[]> {
		const options = { limit, ...everyAccount };
		return this.#model.find(filter as QueryFilter<BookingDocument>, {}, options).lean<BookingDocument[]>();
	}
}
