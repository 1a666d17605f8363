import { setTimeout as delay } from 'node:timers/promises';
import type { ServiceBroker } from 'moleculer';
import { call } from '../../../shared/bus/call.ts';
import type { NewEvent, SlotInZone } from '../../../shared/contract/actions.ts';
import { type Logger, logFailure } from '../../../shared/log/log.ts';
import { inBatch, tracing } from '../../../shared/tracing/tracing.ts';
import { withoutDeadline } from '../../../shared/work/deadline.ts';
import type { BookingDocument } from '../document/booking.model.ts';
import type { BookingStore } from '../document/booking-store.ts';
import { idOf, takenBy, toNewEvent, waitingEvents } from '../document/prepare-update.ts';
import { Directory, formerOf } from './directory.ts';
import { inOrder, type Leaving } from './event-order.ts';
import { withGivers } from './givers.ts';
import { messagesOf } from './messages.ts';

const MAX_BOOKINGS = 100; // of one message
const SEND_TIMEOUT = 5_000; // ms
/** ms that a message waits for more bookings: three writes carry one as well as a hundred */
const GATHER = 10;
/** Bookings that wait; what comes while there are so many is left to the sweep, so that no outage fills the memory */
const MOST_WAITING = 5_000;
/** Bookings that are read for what goes before a message; where an outage left more, these are told of first */
const MOST_BEFORE = 1_000;

/** What came of a delivery. */
export interface Delivery {
	/** Bookings, of those that were to be delivered, of which something was told */
	told: number;
	/** The same of which something has to wait */
	waiting: number;
	/** Where nothing was told, for too much goes before it: ids of bookings that are to be delivered before them */
	first: number[];
	/** Why the directory does not know of some of them, whose events the log has */
	failure?: unknown;
}

/**
 * Carries the outboxes of bookings to the event log, then to the customers' directory: at once after a write, and by
 * the sweep for what a dead process left behind. Every sender sends all that a booking's outbox held when it read
 * it, oldest first, behind what made room for it; what it cannot send so has to wait. So the log has the events of one booking in
 * their order, and no place taken before it is given up, no matter which sender comes first. Both receivers know what they have
 * already. What the log did not take stays in the outbox; what the directory does not know yet waits without its events (ADR 53).
 */
export class Relay {
	readonly #store: BookingStore;
	readonly #broker: ServiceBroker;
	readonly #logger: Logger;
	readonly #directory: Directory;
	readonly #mostBefore: number;
	#waiting: BookingDocument[] = [];
	#sending: Promise<void> | undefined;
	/** Whether the log refused when it was last asked */
	#isLogAway = false;

	constructor(store: BookingStore, broker: ServiceBroker, logger: Logger, mostBefore = MOST_BEFORE) {
		this.#store = store;
		this.#broker = broker;
		this.#logger = logger;
		this.#directory = new Directory(broker, store.clock);
		this.#mostBefore = mostBefore;
	}

	/** @param document as it is after its write; what is asked for while a message is under way leaves with the next */
	send(document: BookingDocument): void {
		if (this.#waiting.length < MOST_WAITING) this.#waiting.push(document);
		this.#sending ??= withoutDeadline(() => this.#drain()); // what was written is told, also where nobody waits any more
	}

	/** Resolves when nothing is under way. */
	async stop(): Promise<void> {
		await this.#sending;
	}

	async #drain(): Promise<void> {
		while (this.#waiting.length > 0) {
			if (this.#waiting.length < MAX_BOOKINGS) await delay(GATHER);
			const documents = this.#waiting.splice(0, MAX_BOOKINGS);
			// What is not delivered stays in its outbox; the sweep comes for it.
			const failed = (error: unknown) => {
				logFailure(this.#logger, error, 'events stay in their outbox for now', { bookings: documents.length });
			};
			await this.deliver(documents).then(({ failure }) => failure && failed(failure), failed);
		}
		this.#sending = undefined;
	}

	/**
	 * Delivers the outbox of each booking, as far as all that goes before it is known. Of what goes before it nothing is taken out:
	 * whose it is delivers it, too, for only that one knows whether its service is there.
	 * @param slots by id, of services that were deleted: the last events of those of their bookings are rendered with them that do not say what they were promised
	 * @param most bookings that are read for what goes before theirs
	 */
	deliver(
		documents: BookingDocument[],
		slots: ReadonlyMap<number, SlotInZone> = new Map(),
		most = this.#mostBefore,
	): Promise<Delivery> {
		return inBatch(
			'relay events',
			() => documents.flatMap(({ outbox }) => outbox.map(({ traceparent }) => tracing?.remote(traceparent))),
			() => this.#deliver(documents, slots, most),
		);
	}

	async #deliver(
		documents: BookingDocument[],
		slots: ReadonlyMap<number, SlotInZone>,
		most: number,
	): Promise<Delivery> {
		if (this.#isLogAway) await this.#append([]); // before anything is read: as long as it is away, what goes before becomes more
		const own = newestOfEach(documents);
		const { newest, cut } = await withGivers(this.#store.untold, own, most);
		const outboxes = new Map<number, Leaving[]>();
		for (const document of newest.values()) {
			const events = this.#eventsOf(document, slots, cut.has(document._id));
			if (events !== undefined) outboxes.set(document._id, events);
		}
		const ready = own.filter(({ _id }) => outboxes.has(_id));
		const ofReady = new Set(ready.map(({ _id }) => outboxes.get(_id)!));
		const events = inOrder(
			[...ofReady],
			[...outboxes.values()].filter((outbox) => !ofReady.has(outbox)),
		);
		for (const message of messagesOf(this.#broker, events)) await this.#append(message);
		if (cut.size === 0) {
			const failure = await this.#empty(ready);
			return { told: ready.length, waiting: 0, first: [], failure };
		}

		const ids = new Set(events.map(({ id }) => id));
		const told = (document: BookingDocument) => document.outbox.filter((entry) => ids.has(idOf(entry, document)));
		const begun = ready.filter((document) => told(document).length > 0);
		const whole = begun.filter((document) => told(document).length === document.outbox.length);
		const failure = await this.#empty(whole);
		const parts = begun.filter((document) => !whole.includes(document));
		await this.#takeOut(parts.map((document) => ({ ...document, outbox: told(document) })));
		return {
			told: begun.length,
			waiting: ready.length - whole.length,
			first: begun.length > 0 ? [] : [...cut],
			failure,
		};
	}

	async #append(events: NewEvent[]): Promise<void> {
		try {
			await call(this.#broker, 'notifications.append', { events }, { timeout: SEND_TIMEOUT });
			this.#isLogAway = false;
		} catch (error) {
			this.#isLogAway = true;
			throw error;
		}
	}

	/**
	 * Of these the log has everything. Where the directory cannot be told, they wait for that with an empty outbox; but whom only
	 * their events tell of, it must hear of first.
	 * @returns why it could not
	 */
	async #empty(documents: BookingDocument[]): Promise<unknown> {
		const { known, unknown, failure } = await this.#directory.record(documents);
		await this.#store.all.clearOutboxes(known);
		this.#store.untold.told(known);
		const silent = unknown.filter((document) => document.outbox.length > 0 && formerOf(document).length === 0);
		if (silent.length > 0) await this.#takeOut(silent);
		return failure;
	}

	/** Of these the log has what is in their outbox here; more is waiting. */
	async #takeOut(documents: BookingDocument[]): Promise<void> {
		await this.#store.all.takeOut(documents);
		this.#store.untold.told(documents);
	}

	/** One booking that cannot be rendered must not hold up the others: it stays in its outbox, and the log says so. */
	#eventsOf(document: BookingDocument, slots: ReadonlyMap<number, SlotInZone>, isCut: boolean): Leaving[] | undefined {
		const leaving = waitingEvents(document.outbox).map((entry) => {
			const took = takenBy(entry, document);
			return {
				event: toNewEvent(document, entry, slots.get(document.time_slot_id)),
				took,
				gaveUp: entry.gave_up ?? [],
				turn: entry.turn ?? 0,
				mustWait: isCut && took.length > 0,
			};
		});
		if (leaving.every(({ event }) => event !== undefined)) return leaving as Leaving[];
		this.#logger.error({ booking_id: document._id }, 'no slot to render the events of this booking with');
		return undefined;
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
