import { setTimeout as delay } from 'node:timers/promises';
import type { ServiceBroker } from 'moleculer';
import { call } from '../../../shared/bus/call.ts';
import type { DirectoryEntry, NewEvent } from '../../../shared/contract/actions.ts';
import type { TimeSlot } from '../../../shared/contract/schemas/time-slot.ts';
import type { Logger } from '../../../shared/log/log.ts';
import { logFailure } from '../../../shared/log/log.ts';
import { inBatch, tracing } from '../../../shared/tracing/tracing.ts';
import { withoutDeadline } from '../../../shared/work/deadline.ts';
import type { BookingDocument } from '../document/booking.model.ts';
import type { BookingStore } from '../document/booking-store.ts';
import { toNewEvent } from '../document/events.ts';
import { splitMessages } from './split-messages.ts';

const MAX_BOOKINGS = 100; // of one message
const SEND_TIMEOUT = 5_000; // ms
/** ms that a message waits for more bookings: three writes carry one as well as a hundred */
const GATHER = 10;
/** Bookings that wait; what comes while there are so many is left to the sweep, so that no outage fills the memory */
const MOST_WAITING = 5_000;

/**
 * Carries the outboxes of bookings to the event log, then to the customers' directory: at once after a write, and by
 * `sweep` for what a process left behind that died. Every sender sends all that a booking's outbox held when it read
 * it, oldest first, so the log has the events of one booking in their order whoever comes first; both receivers know
 * what they have already. A failure leaves the outbox as it is.
 */
export class Relay {
	readonly #store: BookingStore;
	readonly #broker: ServiceBroker;
	readonly #logger: Logger;
	#waiting: BookingDocument[] = [];
	#sending: Promise<void> | undefined;

	constructor(store: BookingStore, broker: ServiceBroker, logger: Logger) {
		this.#store = store;
		this.#broker = broker;
		this.#logger = logger;
	}

	/** @param document as it is after its write; what is asked for while a message is under way leaves with the next */
	send(document: BookingDocument): void {
		if (this.#waiting.length < MOST_WAITING) this.#waiting.push(document);
		this.#sending ??= withoutDeadline(() => this.#drain()); // what was written is told, whoever waits
	}

	/** Resolves when nothing is under way. */
	async idle(): Promise<void> {
		await this.#sending;
	}

	async #drain(): Promise<void> {
		while (this.#waiting.length > 0) {
			if (this.#waiting.length < MAX_BOOKINGS) await delay(GATHER);
			const documents = this.#waiting.splice(0, MAX_BOOKINGS);
			// What is not delivered stays in its outbox; the sweep comes for it.
			await this.deliver(documents).catch((error: unknown) => {
				logFailure(this.#logger, error, 'events stay in their outbox for now', { bookings: documents.length });
			});
		}
		this.#sending = undefined;
	}

	/**
	 * Delivers the whole outbox of each booking.
	 * @param slots by id, of services that were deleted: their bookings' last events are rendered here
	 * @returns how many bookings' events were delivered
	 */
	deliver(documents: BookingDocument[], slots: ReadonlyMap<number, TimeSlot> = new Map()): Promise<number> {
		return inBatch(
			'relay events',
			() => documents.flatMap(({ outbox }) => outbox.map(({ traceparent }) => tracing?.remote(traceparent))),
			() => this.#deliver(documents, slots),
		);
	}

	async #deliver(documents: BookingDocument[], slots: ReadonlyMap<number, TimeSlot>): Promise<number> {
		const rendered = newestOfEach(documents).map((document) => ({ document, events: this.#eventsOf(document, slots) }));
		const ready = rendered.filter(({ events }) => events !== undefined).map(({ document }) => document);
		for (const message of splitMessages(rendered.flatMap(({ events }) => events ?? []))) {
			await call(this.#broker, 'notifications.append', { events: message }, { timeout: SEND_TIMEOUT });
		}
		for (const message of splitMessages(ready.map(directoryEntry))) {
			await call(this.#broker, 'customer.record', { entries: message }, { timeout: SEND_TIMEOUT });
		}
		await this.#clear(ready);
		return ready.length;
	}

	/** One booking that cannot be rendered must not hold up the others: it stays in its outbox, and the log says so. */
	#eventsOf(document: BookingDocument, slots: ReadonlyMap<number, TimeSlot>): NewEvent[] | undefined {
		const events = document.outbox.map((entry) => toNewEvent(document, entry, slots.get(document.time_slot_id)));
		if (!events.includes(undefined)) return events as NewEvent[];
		this.#logger.error({ booking_id: document._id }, 'no slot to render the events of this booking with');
		return undefined;
	}

	/**
	 * Empties the outboxes of the bookings that did not change since. Of those that did it takes out what is delivered.
	 * Tombstones stay for a while, without what was told of a customer: by them a writer whose answer was lost finds out
	 * what became of its write, and a retry under the booking's Idempotency-Key finds its first answer.
	 */
	async #clear(documents: BookingDocument[]): Promise<void> {
		const delivered = { outbox: [], relay_at: 0 };
		const forgotten = { ...delivered, message: null, email_key: '', cancel_reason: null };
		for (const [version, group] of Map.groupBy(documents, (document) => document.version)) {
			const alive = group.filter((document) => document.deleted_at === null);
			const dead = group.filter((document) => document.deleted_at !== null);
			const cleared = await this.#set(alive, version, delivered);
			if (cleared < alive.length) await Promise.all(alive.map((document) => this.#takeOut(document)));
			await this.#set(dead, version, {
				...forgotten,
				'customer.name': null,
				'customer.email': null,
				'customer.phone': null,
			});
		}
	}

	/** @returns how many were still at this version */
	async #set(documents: BookingDocument[], version: number, fields: Record<string, unknown>): Promise<number> {
		if (documents.length === 0) return 0;
		const { matchedCount } = await this.#store.model
			.updateMany({ _id: { $in: documents.map((document) => document._id) }, version }, { $set: fields })
			.setOptions({ everyAccount: true });
		return matchedCount;
	}

	/**
	 * Without this the outbox of a booking that changes all the time would grow, and each message repeat it. What is left in
	 * it came after `updated_at`: older, it would be called late, though it is told at once.
	 */
	async #takeOut({ _id, version, outbox, updated_at }: BookingDocument): Promise<void> {
		const ids = outbox.map((entry) => entry.id);
		await this.#store.model
			.updateOne(
				{ _id, version: { $gt: version }, relay_at: { $gt: 0 } },
				{ $pull: { outbox: { id: { $in: ids } } }, $set: { relay_at: Date.parse(updated_at) } },
			)
			.setOptions({ everyAccount: true });
	}
}

/** The newest state of each booking: its outbox holds what the older ones hold, or has had it delivered. */
function newestOfEach(documents: BookingDocument[]): BookingDocument[] {
	const newest = new Map<number, BookingDocument>();
	for (const document of documents) {
		const known = newest.get(document._id);
		if (known === undefined || known.version < document.version) newest.set(document._id, document);
	}
	return [...newest.values()];
}

function directoryEntry({ account_id, _id, version, deleted_at, customer }: BookingDocument): DirectoryEntry {
	return { account_id, booking_id: _id, version, customer: deleted_at === null ? customer : null };
}
