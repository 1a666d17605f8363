import { setTimeout as delay } from 'node:timers/promises';
import { type AccountKey, accountKey } from '../../../shared/contract/account-key.ts';
import { ApiError } from '../../../shared/contract/errors.ts';
import { assertVersion } from '../../../shared/contract/version.ts';
import { randomIndex } from '../../../shared/engine/ids.ts';
import { inBatch, type Span, tracing, within } from '../../../shared/tracing/tracing.ts';
import { Deadline, DeadlinePassed, underDeadline, withoutDeadline } from '../../../shared/work/deadline.ts';
import type { SlotSource } from '../catalog-source.ts';
import { type BookingDocument, filler } from '../document/booking.model.ts';
import type { BookingStore } from '../document/booking-store.ts';
import { type Change, outboxAfter } from '../document/booking-store.ts';
import { tombstone } from '../document/change.ts';
import type { ChangeOutcome } from '../document/settle-change.ts';
import { findSubject } from '../get-booking.ts';
import type { Relay } from '../outbox/relay.ts';
import type { PlaceQueue } from '../seats/seat-queue.ts';
import { ChangedPlace, StaleBooking } from './moved-booking.ts';
import {
	type ChangeRequest,
	claimsPlace,
	completeChange,
	customerKey,
	keysOf,
	type Plan,
	type PlannedChange,
	type Subject,
} from './planned-change.ts';

interface Queued {
	request: ChangeRequest;
	/** Of the request that waits */
	span: Span | undefined;
	deadline: Deadline;
	plan: Plan;
	resolve: (subject: Subject) => void;
	reject: (error: unknown) => void;
}

/** Changes that are folded into one write, at most */
const MAX_FOLD = 50;

/**
 * The changes of each account's booking, in order of arrival. Those that are queued here and claim no place are folded into one
 * write, each with its version and its event; so compare-and-set contends with other processes only, and rarely.
 */
export class ChangeQueue {
	readonly #queues = new Map<AccountKey, Queued[]>();
	readonly #store: BookingStore;
	readonly #slots: SlotSource;
	readonly #places: PlaceQueue;
	readonly #relay: Relay;

	constructor(store: BookingStore, slots: SlotSource, places: PlaceQueue, relay: Relay) {
		this.#store = store;
		this.#slots = slots;
		this.#places = places;
		this.#relay = relay;
	}

	/**
	 * Changes a booking as it is when its turn comes, and again where another process was faster.
	 * @param plan decides what to do with the booking; null where nothing changes
	 * @throws booking_not_found, version_mismatch, version_conflict, and, where a place is claimed, time_slot_full and
	 *   duplicate_booking
	 */
	change(request: ChangeRequest, deadline: Deadline, plan: Plan): Promise<Subject> {
		return new Promise((resolve, reject) => {
			const queued = { request, span: tracing?.current(), deadline, plan, resolve, reject };
			const key = accountKey(request, request.booking_id);
			const queue = this.#queues.get(key);
			if (queue !== undefined) {
				queue.push(queued);
			} else {
				this.#queues.set(key, [queued]);
				void withoutDeadline(() => this.#drain(key)); // each change is written under its own
			}
		});
	}

	async #drain(key: AccountKey): Promise<void> {
		const queue = this.#queues.get(key)!;
		let limit = MAX_FOLD;
		for (let failures = 0; queue.length > 0; ) {
			if (failures > 0) await delay(randomIndex(4 * failures)); // another process was faster
			const waiting = queue.slice(0, limit); // who comes during the reading may know a later version than it finds
			const outcome = await inBatch(
				'change booking',
				() => waiting.map(({ span }) => span),
				() => this.#round(queue, waiting),
			);
			failures = outcome === 'written' ? 0 : Math.min(failures + 1, 10);
			limit = outcome === 'taken' ? 1 : MAX_FOLD; // one by one it can be told whose key was taken
		}
		this.#queues.delete(key);
	}

	/** Answers the first changes of the queue, or leaves it as it is where the booking must be read again. */
	async #round(queue: Queued[], waiting: Queued[]): Promise<ChangeOutcome> {
		const [first] = queue as [Queued];
		try {
			first.deadline.assertTimeLeft();
			const subject = await findSubject(this.#store, this.#slots, first.request);
			const fold = new Fold(subject, this.#store.clock.now());
			for (const queued of waiting) if (!fold.add(queued)) break;
			if (fold.size === 0)
				return await underDeadline(first.deadline, () => within(first.span, () => this.#alone(queue, subject)));
			return await this.#together(queue, fold);
		} catch (error) {
			queue.shift();
			first.reject(error);
			return 'written';
		}
	}

	/** Changes that share a write share its failure: where its outcome is unknown, none may be made once more. */
	async #together(queue: Queued[], fold: Fold): Promise<ChangeOutcome> {
		const outcome = await fold.write(this.#store).catch((error: unknown) => {
			queue.splice(0, fold.size);
			fold.fail(error);
			return 'failed' as const;
		});
		if (outcome === 'failed') return 'written'; // answered; the next ones are read for anew
		if (outcome === 'written') {
			queue.splice(0, fold.size);
			if (fold.changes > 0) this.#relay.send(fold.current);
			fold.settle();
		} else if (outcome === 'taken' && fold.size === 1) {
			await this.#assertNoDuplicate(fold.current);
		}
		return outcome;
	}

	/** A change that claims a place, or a deletion. */
	async #alone(queue: Queued[], subject: Subject): Promise<ChangeOutcome> {
		const { plan, deadline, resolve } = queue[0]!;
		const planned = plan(subject, this.#store.clock.now()) as PlannedChange | 'delete';
		const result =
			planned === 'delete' ? await this.#delete(subject, deadline) : await this.#claim(subject, planned, deadline);
		if (result === undefined) return 'stale';
		queue.shift();
		this.#relay.send(result.booking);
		resolve(result);
		return 'written';
	}

	async #claim({ booking }: Subject, planned: PlannedChange, deadline: Deadline): Promise<Subject | undefined> {
		const claim = new ChangedPlace(this.#store, booking, planned, deadline);
		try {
			await this.#places.claim(claim);
			return claim.result;
		} catch (error) {
			if (error instanceof StaleBooking) return undefined;
			throw error;
		}
	}

	async #delete({ booking, slot }: Subject, deadline: Deadline): Promise<Subject | undefined> {
		const change = { ...tombstone(booking, slot, this.#store.clock.now()), delete_answered: false };
		if ((await this.#store.update(booking, change, { deadline })) !== 'written') return undefined;
		const outbox = outboxAfter(booking, ...(change.outbox ?? []));
		return { booking: { ...booking, ...change, version: booking.version + 1, outbox }, slot };
	}

	/** A unique index refused a change that claims no place: only its customer's key can be another booking's. */
	async #assertNoDuplicate(after: BookingDocument): Promise<void> {
		if (await this.#store.hasCustomer(after.account_id, customerKey(after))) throw new ApiError('duplicate_booking');
	}
}

type Answered = { queued: Queued } & ({ booking: BookingDocument } | { error: unknown });

/**
 * Changes of one booking that follow each other, and the one write that makes them all. What the booking alone decides
 * is decided for each change on what the one before it left. What other bookings decide is decided by the unique index
 * of `customer_key`, and the write shows it only the last key: so a change that takes a key that the booking did not
 * hold before stays the last one that changes the key.
 */
class Fold {
	readonly #before: BookingDocument;
	readonly #subject: Subject;
	readonly #now: number;
	readonly #answered: Answered[] = [];
	#change: (Change & { write_id: string }) | undefined;
	/** The index has to accept `current.customer_key` */
	#takesKey = false;
	/** The booking after all of them */
	current: BookingDocument;
	/** How many of them change something */
	changes = 0;

	constructor(subject: Subject, now: number) {
		this.#before = subject.booking;
		this.#subject = subject;
		this.#now = now;
		this.current = subject.booking;
	}

	get size(): number {
		return this.#answered.length;
	}

	/** @returns false where it does not fold, for it needs a write of its own */
	add(queued: Queued): boolean {
		const { request, deadline, plan } = queued;
		try {
			deadline.assertTimeLeft();
			assertVersion(this.current.version, request.if_match, request.expected);
			const planned = plan({ ...this.#subject, booking: this.current }, this.#now);
			if (planned === 'delete' || (planned !== null && claimsPlace(this.current, planned))) return false;
			if (planned !== null && !within(queued.span, () => this.#include(planned))) return false;
			this.#answered.push({ queued, booking: this.current });
		} catch (error) {
			this.#answered.push({ queued, error });
		}
		return true;
	}

	async write(store: BookingStore): Promise<ChangeOutcome> {
		if (this.#change === undefined) return 'written';
		const change = this.#change;
		const options = { versions: this.changes, deadline: this.#lastDeadline() };
		const first = Deadline.earliest(this.#answered.map(({ queued }) => queued.deadline));
		try {
			return await underDeadline(first, () => store.update(this.#before, change, options));
		} catch (error) {
			if (DeadlinePassed.isOf(first, error)) return 'stale'; // it was not sent: again, without those that are late
			throw error;
		}
	}

	/** Answers in order of arrival. A refusal was decided on the changes before it, so it waits for their write too. */
	settle(): void {
		for (const answer of this.#answered) {
			if ('error' in answer) answer.queued.reject(answer.error);
			else answer.queued.resolve({ ...this.#subject, booking: answer.booking });
		}
	}

	/** Tells all of them that nobody knows what became of the write, or that the store could not be reached for it. */
	fail(error: unknown): void {
		for (const answer of this.#answered) answer.queued.reject('error' in answer ? answer.error : error);
	}

	/** @returns false where its key must be judged by a write of its own */
	#include(planned: PlannedChange): boolean {
		const keys = keysOf(this.current, planned);
		const { customer_key = this.current.customer_key } = keys;
		if (customer_key !== this.current.customer_key) {
			if (this.#takesKey) return false;
			this.#takesKey = customer_key !== this.#before.customer_key && customer_key !== filler(this.#before._id);
		}
		const { change, result } = completeChange(this.#now, this.current, this.#subject.slot, planned, keys);
		this.#change = { ...this.#change, ...change, outbox: [...(this.#change?.outbox ?? []), ...(change.outbox ?? [])] };
		this.current = result;
		this.changes++;
		return true;
	}

	/** While one of them is waited for, the write goes on. */
	#lastDeadline(): Deadline {
		return this.#answered.map(({ queued }) => queued.deadline).reduce((last, one) => (one.at > last.at ? one : last));
	}
}
