import type { AllBookings } from './all-bookings.ts';
import type { BookingDocument, OutboxEntry } from './booking.model.ts';
import type { WriteOutcome } from './settle-change.ts';

interface Giver {
	booking_id: number;
	/** Who may have written the event: several that change one booking at once name theirs alike */
	writers: number;
}

/**
 * Which waiting events gave up which keys (`heldKeys`), so that whoever takes one can tell of that first (ADR 52). A cluster's
 * store has an index of them. A process that is alone with its store knows all that it wrote, and reads once what an earlier
 * one left.
 */
export class UntoldGivers {
	readonly #all: AllBookings;
	/** By key, then event */
	readonly #known: Map<string, Map<string, Giver>> | undefined;
	#left: Promise<void> | undefined;

	/** @param isAlone with its store */
	constructor(all: AllBookings, isAlone: boolean) {
		this.#all = all;
		this.#known = isAlone ? new Map() : undefined;
	}

	/** Bookings of which an event waits that gave up one of these keys. */
	async find(keys: string[]): Promise<BookingDocument[]> {
		const known = this.#known;
		if (known === undefined) return this.#all.untoldThatGaveUp(keys);
		this.#left ??= this.#readLeft();
		await this.#left;
		const givers = keys.flatMap((key) => [...(known.get(key)?.values() ?? [])]);
		const ids = new Set(givers.map(({ booking_id }) => booking_id));
		return ids.size === 0 ? [] : this.#all.undelivered({ ids: [...ids] }, 0);
	}

	/**
	 * Writes a change that may give up keys. As long as the booking has them, all others that are found to have given them up
	 * did so before: its turn is behind theirs. No clock could tell.
	 * @param outbox its events
	 */
	async around(
		{ _id }: BookingDocument,
		outbox: readonly OutboxEntry[],
		write: () => Promise<WriteOutcome>,
	): Promise<WriteOutcome> {
		const givers = outbox.filter(({ gave_up }) => gave_up !== undefined);
		if (givers.length === 0) return write();
		const keys = new Set(givers.flatMap(({ gave_up }) => gave_up!));
		const others = (await this.find([...keys])).flatMap((other) => other.outbox);
		const before = others.filter(({ gave_up = [] }) => gave_up.some((key) => keys.has(key)));
		const turn = 1 + Math.max(0, ...before.map((entry) => entry.turn ?? 0));
		for (const giver of givers) giver.turn = turn;
		this.#note(_id, givers);
		const outcome = await write();
		if (outcome !== 'written') this.#drop(givers, 'refused'); // where nobody knows, it stays noted
		return outcome;
	}

	/** The log has all that these bookings' outboxes held. */
	told(documents: readonly BookingDocument[]): void {
		for (const { outbox } of documents) this.#drop(outbox, 'told');
	}

	#note(booking_id: number, outbox: readonly OutboxEntry[]): void {
		if (this.#known === undefined) return;
		for (const { id, gave_up = [] } of outbox) {
			for (const key of gave_up) {
				const events = this.#known.get(key) ?? new Map<string, Giver>();
				const writers = (events.get(id!)?.writers ?? 0) + 1;
				this.#known.set(key, events.set(id!, { booking_id, writers }));
			}
		}
	}

	#drop(outbox: readonly OutboxEntry[], because: 'refused' | 'told'): void {
		for (const { id, gave_up = [] } of outbox) {
			for (const key of gave_up) {
				const events = this.#known?.get(key);
				const giver = events?.get(id!);
				if (giver === undefined || (because === 'refused' && --giver.writers > 0)) continue;
				events!.delete(id!);
				if (events!.size === 0) this.#known!.delete(key);
			}
		}
	}

	/** Beside writes: what is noted by both counts twice, until it is told. */
	async #readLeft(): Promise<void> {
		try {
			const left = await this.#all.untoldThatGaveUp('any');
			for (const { _id, outbox } of left) this.#note(_id, outbox);
		} catch (error) {
			this.#left = undefined;
			throw error;
		}
	}
}
