import type { SlotNow } from '../../../shared/contract/actions.ts';
import { ApiError } from '../../../shared/contract/errors.ts';
import { assertVersion } from '../../../shared/contract/version.ts';
import { type Span, within } from '../../../shared/tracing/tracing.ts';
import { Deadline, DeadlinePassed, underDeadline } from '../../../shared/work/deadline.ts';
import type { PromisedBooking } from '../document/booking.model.ts';
import type { BookingStore } from '../document/booking-store.ts';
import { filler } from '../document/keys.ts';
import { type BookingUpdate, prepareUpdate } from '../document/prepare-update.ts';
import type { WriteOutcome } from '../document/settle-change.ts';
import {
	type ChangeRequest,
	type Current,
	claimsSeat,
	keysOf,
	type Plan,
	type PlannedChange,
} from './planned-change.ts';

/**
 * Events of one booking that may wait for the log. Each has the booking twice, of up to 19 kB, and a document holds 16 MiB; and each
 * change reads and writes all that wait.
 */
const MOST_UNTOLD = 400;

/** @throws service_unavailable where the log has been away for so long that the booking takes no more changes */
export function assertRoomForEvent({ outbox }: PromisedBooking): void {
	if (outbox.length >= MOST_UNTOLD) throw new ApiError('service_unavailable');
}

/** A change that waits for its turn. */
export interface Queued {
	request: ChangeRequest;
	/** Of the request that waits */
	span: Span | undefined;
	deadline: Deadline;
	plan: Plan;
	resolve: (changed: PromisedBooking) => void;
	reject: (error: unknown) => void;
}

/** What a change comes to once the write went through. */
type Member = { queued: Queued } & ({ booking: PromisedBooking } | { error: unknown });

/**
 * Changes of one booking that follow each other, and the one write that makes them all. Each change is decided on what
 * the one before it left.
 *
 * Only the unique index of `customer_key` knows whether another booking has a customer's key, and it sees just the key
 * that the write ends with. So a fold has at most one key that is new to the booking, and it ends with that one: each new
 * key is judged by the index, as if its change had been written alone (promise X3: each step obeys every rule).
 */
export class Fold {
	/** The booking before all of them */
	readonly before: PromisedBooking;
	readonly #slots: ReadonlyMap<number, SlotNow | null>;
	readonly #now: number;
	readonly #members: Member[] = [];
	#update: BookingUpdate | undefined;
	/** The index has to accept `current.customer_key` */
	#hasNewKey = false;
	/** The booking after all of them */
	current: PromisedBooking;
	/** How many of them change something */
	changes = 0;

	constructor({ booking, slots }: Current, now: number) {
		this.before = booking;
		this.#slots = slots;
		this.#now = now;
		this.current = booking;
	}

	get size(): number {
		return this.#members.length;
	}

	/** @returns false where it does not fold, because it needs a write of its own */
	add(queued: Queued): boolean {
		const { request, deadline, plan } = queued;
		try {
			deadline.assertTimeLeft();
			assertVersion(this.current.version, request.if_match, request.expected);
			const planned = plan({ booking: this.current, slots: this.#slots }, this.#now);
			if (planned === 'delete' || (planned !== null && claimsSeat(this.current, planned))) return false;
			if (planned !== null && !within(queued.span, () => this.#include(planned))) return false;
			this.#members.push({ queued, booking: this.current });
		} catch (error) {
			this.#members.push({ queued, error });
		}
		return true;
	}

	async write(store: BookingStore): Promise<WriteOutcome> {
		const update = this.#update;
		if (update === undefined) return 'written';
		const options = { versions: this.changes, deadline: this.#lastDeadline() };
		const made = this.#members.filter((member) => !('error' in member)); // who is refused, as who is late, hurries nobody
		const first = Deadline.earliest(made.map(({ queued }) => queued.deadline));
		try {
			return await underDeadline(first, () => store.update(this.before, update, options));
		} catch (error) {
			if (DeadlinePassed.isOf(first, error)) return 'stale'; // it was not sent: again, without those that are late
			throw error;
		}
	}

	/** In order of arrival. A refusal was decided on the changes before it, so it waits for their write too. */
	complete(): void {
		for (const member of this.#members) {
			if ('error' in member) member.queued.reject(member.error);
			else member.queued.resolve(member.booking);
		}
	}

	/** Tells all of them that nobody knows what became of the write, or that the store could not be reached for it. */
	fail(error: unknown): void {
		for (const member of this.#members) member.queued.reject('error' in member ? member.error : error);
	}

	/** @returns false where its key must be judged by a write of its own */
	#include(planned: PlannedChange): boolean {
		assertRoomForEvent(this.current);
		const keys = keysOf(this.current, planned);
		const { customer_key = this.current.customer_key } = keys;
		if (customer_key !== this.current.customer_key) {
			if (this.#hasNewKey) return false;
			this.#hasNewKey = customer_key !== this.before.customer_key && customer_key !== filler(this.before._id);
		}
		const fields = { ...planned.set, ...keys };
		const { update, after } = prepareUpdate(this.current, fields, planned.event, this.#now);
		this.#update = { ...this.#update, ...update, outbox: [...(this.#update?.outbox ?? []), ...(update.outbox ?? [])] };
		this.current = after;
		this.changes++;
		return true;
	}

	/** While one of them is waited for, the write goes on. */
	#lastDeadline(): Deadline {
		return this.#members.map(({ queued }) => queued.deadline).reduce((last, one) => (one.at > last.at ? one : last));
	}
}
