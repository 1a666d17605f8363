import type { SlotInZone } from '../../../shared/contract/actions.ts';
import { SKEW } from '../../../shared/engine/clock.ts';
import { Sightings } from '../../../shared/engine/sightings.ts';
import { type Logger, logFailure } from '../../../shared/log/log.ts';
import { withoutDeadline } from '../../../shared/work/deadline.ts';
import { Periodic } from '../../../shared/work/periodic.ts';
import type { Undelivered } from '../document/all-bookings.ts';
import { type BookingDocument, IDEMPOTENCY_TTL } from '../document/booking.model.ts';
import type { BookingStore } from '../document/booking-store.ts';
import type { ClosureDocument } from '../document/closures.ts';
import type { Relay } from './relay.ts';

const OUTBOX_EVERY = 500; // ms: an event is in the feed within 2 s of a restart
const TOMBSTONES_EVERY = 10 * 60 * 1000; // ms
const TOMBSTONES_FIRST = 60 * 1000; // ms: a process that starts has other things to do
const PAGE = 100;
/** How often something else is delivered first, until all that goes before is read at once, however much it is */
const DEEPEST = 20;
/** Bookings that are watched at a time, of those that look younger than `LEFT_BEHIND_AFTER` */
const WATCHED = 1_000;
/** ms that a living process has for delivering by itself before the sweep does it */
const LEFT_BEHIND_AFTER = 1_000;
/** ms. A tombstone must outlive every write that it fences and every repetition that looks for it there: an hour does. */
const TOMBSTONE_TTL = 60 * 60 * 1000 + SKEW;

/** The slots of a closed service, by id. The marks of 0.1 did not say where on earth they were. */
function slotsOf({ slots, timezone = 'UTC' }: ClosureDocument): [id: number, SlotInZone][] {
	return slots.map((slot) => [slot.id, { slot, timezone }]);
}

/**
 * The sweeps of a process: they deliver what was left in outboxes, because a process died or the event log could not be
 * reached, and remove tombstones that nobody needs any more. Several processes that sweep do no harm.
 */
export class Sweeper {
	readonly #store: BookingStore;
	readonly #relay: Relay;
	readonly #logger: Logger;
	readonly #outboxes: Periodic;
	readonly #tombstones: Periodic;
	readonly #watched: Sightings;
	#extra: Promise<void> = Promise.resolve();
	/** Which outboxes the next sweep delivers: at the start, all that is there was left by another process. */
	#next: 'all' | 'left behind' = 'all';

	constructor(store: BookingStore, relay: Relay, logger: Logger) {
		this.#store = store;
		this.#relay = relay;
		this.#logger = logger;
		this.#watched = new Sightings(store.clock);
		const failed = (error: unknown) => this.#logFailure(error);
		this.#outboxes = new Periodic({ every: OUTBOX_EVERY, run: () => this.#sweepOutboxes(), failed });
		this.#tombstones = new Periodic({ every: TOMBSTONES_EVERY, run: () => this.#sweepTombstones(), failed });
	}

	start(): void {
		this.#outboxes.start();
		this.#tombstones.start(TOMBSTONES_FIRST);
	}

	/** Delivers, at once, the events of a service's bookings that were just removed. */
	sweepService(service_id: number): void {
		const sweep = () => withoutDeadline(() => this.#deliver({ service_id }));
		this.#extra = this.#extra.then(sweep).catch((error: unknown) => this.#logFailure(error));
	}

	/** Delivers what is in the outboxes of some bookings, or of an account's, and what the directory is to know of them. */
	deliverNow(which: Pick<Undelivered, 'ids' | 'account_id'>): Promise<void> {
		return withoutDeadline(() => this.#deliver(which));
	}

	/** ms for which this process has seen the same events wait, no matter what the clock of their process said. */
	oldestSeen(): number {
		return this.#watched.longest();
	}

	/** The same of one booking's events, as long as they look young. */
	seenFor(booking_id: number): number {
		return this.#watched.of(booking_id);
	}

	/** Resolves when the sweeps that are under way have ended. */
	async stop(): Promise<void> {
		await Promise.all([this.#outboxes.stop(), this.#tombstones.stop(), this.#extra]);
	}

	/**
	 * Entries that look younger than a second are left to their own process for now. Where its clock is ahead, they may
	 * look so for an hour. So what counts for them is how long this process has seen them. That is noted before anything is
	 * delivered, so that metrics tell it also while the event log cannot be reached.
	 */
	async #sweepOutboxes(): Promise<void> {
		const old = this.#store.clock.now() - LEFT_BEHIND_AFTER;
		const left = await this.#youngButLeft(old);
		await this.#deliver(this.#next === 'all' ? {} : { until: old });
		if (left.length > 0) await this.#deliver({ ids: left });
		this.#next = 'left behind';
	}

	/** Bookings whose entries look younger than `old`, and were seen for longer than that. */
	async #youngButLeft(old: number): Promise<number[]> {
		// Those of a clock that is ahead come first, and are never pushed out by new ones.
		const young = await this.#store.all.undeliveredAfter(old, WATCHED);
		const states = new Map(young.map(({ _id, version, relay_at }) => [_id, `${version}:${relay_at}`]));
		return this.#watched.unchangedFor(LEFT_BEHIND_AFTER, states);
	}

	/**
	 * Delivers, at once, all that is in the outboxes of these bookings.
	 * @throws what kept the log or, in the end, the directory from hearing of them
	 */
	async #deliver(which: Undelivered): Promise<void> {
		const { failure } = await this.#deliverAll(which);
		if (failure) throw failure;
	}

	/**
	 * Where too much goes before a page, that is delivered first: what happened earlier each time, so this comes to an end. Where
	 * the directory does not hear of one, the next page is read behind it: nobody else's events wait for that.
	 * @returns how often something was told of a booking, and why the directory did not hear of all
	 */
	async #deliverAll(which: Undelivered, page = PAGE, depth = 0): Promise<{ told: number; failure: unknown }> {
		const sum = { told: 0, failure: undefined as unknown };
		for (let after: BookingDocument | undefined; ; ) {
			const documents = await this.#store.all.undelivered(which, page, after);
			if (documents.length === 0) return sum;
			const marks = await this.#store.closures.ofServices([...new Set(documents.map(({ service_id }) => service_id))]);
			if (await this.#deleteSurvivors(documents, marks)) continue; // the next pass tells of their deletion, too
			const slots = new Map(marks.flatMap(slotsOf));
			const most = depth < DEEPEST ? undefined : Number.POSITIVE_INFINITY;
			const { told, waiting, first, failure } = await this.#relay.deliver(documents, slots, most);
			const before = first.length > 0 ? await this.#deliverAll({ ids: first }, first.length, depth + 1) : undefined;
			sum.told += told + (before?.told ?? 0);
			sum.failure ??= failure ?? before?.failure;
			if (failure) after = documents.at(-1);
			else if (told + (before?.told ?? 0) === 0) return sum;
			if (waiting === 0 && documents.length < page) return sum;
		}
	}

	/**
	 * Deletes the bookings that outlived their service: a process made them, or moved them there, and died before it looked for the
	 * mark.
	 * @returns whether there were any
	 */
	async #deleteSurvivors(documents: BookingDocument[], marks: ClosureDocument[]): Promise<boolean> {
		const closed = new Set(marks.map((mark) => mark._id));
		const survivors = documents.filter((document) => document.deleted_at === null && closed.has(document.service_id));
		if (survivors.length === 0) return false;
		for (const [service_id, group] of Map.groupBy(survivors, (document) => document.service_id)) {
			const ids = group.map(({ _id }) => _id);
			await this.#store.all.deleteWithService(service_id, ids, this.#store.clock.now());
		}
		return true;
	}

	/** Removes tombstones whose event is delivered: after an hour, and not before a first answer that they keep is 24 h old. */
	async #sweepTombstones(): Promise<void> {
		const now = this.#store.clock.now();
		await this.#store.all.removeTombstones(now - TOMBSTONE_TTL, now - IDEMPOTENCY_TTL);
		await this.#store.all.removeTombstones(now - TOMBSTONE_TTL);
	}

	#logFailure(error: unknown): void {
		logFailure(this.#logger, error, 'sweep of the outboxes failed, it will be repeated');
	}
}
