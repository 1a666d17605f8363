import { assertVersion } from '../../../shared/contract/version.ts';
import { type Span, within } from '../../../shared/tracing/tracing.ts';
import { Deadline, DeadlinePassed, underDeadline } from '../../../shared/work/deadline.ts';
import type { Subject } from '../catalog-source.ts';
import type { BookingDocument } from '../document/booking.model.ts';
import type { BookingStore } from '../document/booking-store.ts';
import { type Change, changed } from '../document/change.ts';
import { filler } from '../document/keys.ts';
import type { ChangeOutcome } from '../document/settle-change.ts';
import { type ChangeRequest, claimsSeat, keysOf, type Plan, type PlannedChange } from './planned-change.ts';

/** A change that waits for its turn. */
export interface Queued {
	request: ChangeRequest;
	/** Of the request that waits */
	span: Span | undefined;
	deadline: Deadline;
	plan: Plan;
	resolve: (subject: Subject) => void;
	reject: (error: unknown) => void;
}

type Answered = { queued: Queued } & ({ booking: BookingDocument } | { error: unknown });

/**
 * Changes of one booking that follow each other, and the one write that makes them all. What the booking alone decides
 * is decided for each change on what the one before it left. What other bookings decide is decided by the unique index
 * of `customer_key`, and the write shows it only the last key: so a change that takes a key that the booking did not
 * hold before stays the last one that changes the key.
 */
export class Fold {
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

	/** @returns false where it does not fold, because it needs a write of its own */
	add(queued: Queued): boolean {
		const { request, deadline, plan } = queued;
		try {
			deadline.assertTimeLeft();
			assertVersion(this.current.version, request.if_match, request.expected);
			const planned = plan({ ...this.#subject, booking: this.current }, this.#now);
			if (planned === 'delete' || (planned !== null && claimsSeat(this.current, planned))) return false;
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
		const fields = { ...planned.set, ...keys };
		const { change, result } = changed(this.current, fields, planned.event, this.#subject.slot, this.#now);
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
