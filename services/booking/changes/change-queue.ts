import { setTimeout as delay } from 'node:timers/promises';
import { type AccountKey, accountKey } from '../../../shared/contract/actions/common.ts';
import { ApiError } from '../../../shared/contract/errors.ts';
import { randomIndex } from '../../../shared/engine/ids.ts';
import { inBatch, tracing, within } from '../../../shared/tracing/tracing.ts';
import { type Deadline, underDeadline, withoutDeadline } from '../../../shared/work/deadline.ts';
import { findSubject, type SlotSource, type Subject } from '../catalog-source.ts';
import type { BookingDocument } from '../document/booking.model.ts';
import type { BookingStore } from '../document/booking-store.ts';
import { deletion } from '../document/change.ts';
import type { Relay } from '../outbox/relay.ts';
import type { SeatQueue } from '../seats/seat-queue.ts';
import { Fold, type Queued } from './fold.ts';
import { MovedBooking, StaleBooking } from './moved-booking.ts';
import type { ChangeRequest, Plan, PlannedChange } from './planned-change.ts';

/** How many changes the next round may fold into one write. After a taken key, one by one: then it can be told whose. */
const MODES = { folding: 50, 'one by one': 1 } as const;

/**
 * What a round came to. Where it answered, the answered changes have left the queue; else nothing was written, and the
 * queue is as it was.
 *
 *   answered     → read again for the next ones, folding
 *   overtaken    → another process was faster: pause, read again, folding
 *   key taken    → a unique index refused the write: pause, read again, one by one
 */
type Round = 'answered' | 'overtaken' | 'key taken';

/**
 * The changes of each booking, in order of arrival. Those that are queued here and claim no seat are folded into one
 * write, each with its version and its event; so compare-and-set contends with other processes only, and rarely.
 */
export class ChangeQueue {
	readonly #queues = new Map<AccountKey, Queued[]>();
	readonly #store: BookingStore;
	readonly #slots: SlotSource;
	readonly #seats: SeatQueue;
	readonly #relay: Relay;

	constructor(store: BookingStore, slots: SlotSource, seats: SeatQueue, relay: Relay) {
		this.#store = store;
		this.#slots = slots;
		this.#seats = seats;
		this.#relay = relay;
	}

	/**
	 * Changes a booking as it is when its turn comes, and again where another process was faster.
	 * @param plan decides what to do with the booking; null where nothing changes
	 * @throws booking_not_found, version_mismatch, version_conflict, and, where a seat is claimed, time_slot_full and
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
		let mode: keyof typeof MODES = 'folding';
		for (let failures = 0; queue.length > 0; ) {
			if (failures > 0) await delay(randomIndex(4 * failures));
			const waiting = queue.slice(0, MODES[mode]); // who comes during the reading may know a later version than it finds
			const round = await inBatch(
				'change booking',
				() => waiting.map(({ span }) => span),
				() => this.#round(queue, waiting),
			);
			failures = round === 'answered' ? 0 : Math.min(failures + 1, 10);
			mode = round === 'key taken' ? 'one by one' : 'folding';
		}
		this.#queues.delete(key);
	}

	async #round(queue: Queued[], waiting: Queued[]): Promise<Round> {
		const [first] = queue as [Queued];
		try {
			first.deadline.assertTimeLeft();
			const subject = await findSubject(this.#store, this.#slots, first.request);
			const fold = new Fold(subject, this.#store.clock.now());
			for (const queued of waiting) if (!fold.add(queued)) break;
			if (fold.size > 0) return await this.#together(queue, fold);
			return await underDeadline(first.deadline, () => within(first.span, () => this.#alone(queue, subject)));
		} catch (error) {
			queue.shift();
			first.reject(error);
			return 'answered';
		}
	}

	/** Changes that share a write share its failure: where its outcome is unknown, none may be made once more. */
	async #together(queue: Queued[], fold: Fold): Promise<Round> {
		try {
			const outcome = await fold.write(this.#store);
			if (outcome === 'stale') return 'overtaken';
			if (outcome === 'taken') {
				if (fold.size === 1) await this.#assertNoDuplicate(fold.current);
				return 'key taken';
			}
		} catch (error) {
			queue.splice(0, fold.size);
			fold.fail(error);
			return 'answered';
		}
		queue.splice(0, fold.size);
		if (fold.changes > 0) this.#relay.send(fold.current);
		fold.settle();
		return 'answered';
	}

	/** A change that claims a seat, or a deletion. */
	async #alone(queue: Queued[], subject: Subject): Promise<Round> {
		const { plan, deadline, resolve } = queue[0]!;
		const planned = plan(subject, this.#store.clock.now()) as PlannedChange | 'delete';
		const result =
			planned === 'delete' ? await this.#delete(subject, deadline) : await this.#claim(subject, planned, deadline);
		if (result === 'overtaken') return result;
		queue.shift();
		this.#relay.send(result.booking);
		resolve(result);
		return 'answered';
	}

	async #claim({ booking }: Subject, planned: PlannedChange, deadline: Deadline): Promise<Subject | 'overtaken'> {
		const claim = new MovedBooking(this.#store, booking, planned, deadline);
		try {
			await this.#seats.claim(claim);
			return claim.result;
		} catch (error) {
			if (error instanceof StaleBooking) return 'overtaken';
			throw error;
		}
	}

	async #delete({ booking, slot }: Subject, deadline: Deadline): Promise<Subject | 'overtaken'> {
		const { change, result } = deletion(booking, slot, this.#store.clock.now(), { delete_answered: false });
		const outcome = await this.#store.update(booking, change, { deadline });
		return outcome === 'written' ? { booking: result, slot } : 'overtaken';
	}

	/** A unique index refused a change that claims no seat: only its customer's key can be another booking's. */
	async #assertNoDuplicate({ account_id, customer_key }: BookingDocument): Promise<void> {
		if (await this.#store.hasCustomer(account_id, customer_key)) throw new ApiError('duplicate_booking');
	}
}
