import { setTimeout as delay } from 'node:timers/promises';
import { type AccountKey, accountKey } from '../../../shared/contract/actions/common.ts';
import { ApiError } from '../../../shared/contract/errors.ts';
import { randomIndex } from '../../../shared/engine/ids.ts';
import { inBatch, tracing, within } from '../../../shared/tracing/tracing.ts';
import { type Deadline, underDeadline, withoutDeadline } from '../../../shared/work/deadline.ts';
import { assertBookable, type SlotSource } from '../catalog-source.ts';
import type { PromisedBooking } from '../document/booking.model.ts';
import type { BookingStore } from '../document/booking-store.ts';
import { customerKey } from '../document/keys.ts';
import { prepareDeletion, prepareUpdate } from '../document/prepare-update.ts';
import { promisedFields } from '../document/promised.ts';
import { heldFields, isExpired } from '../document/states.ts';
import { findBooking } from '../find-booking.ts';
import type { Holds } from '../holds/holds.ts';
import type { Relay } from '../outbox/relay.ts';
import type { SeatQueue } from '../seats/seat-queue.ts';
import { assertRoomForEvent, Fold, type Queued } from './fold.ts';
import { type ChangeRequest, type Current, isMoved, type Plan, type PlannedChange } from './planned-change.ts';

/** Changes that one write may fold */
const MOST = 50;

/**
 * What an attempt came to. Only after `completed` have its changes left the queue; else nothing was written.
 *
 *   completed     → read again for the next ones
 *   stale         → another process was faster: pause, read again
 *   duplicate key → a unique index refused the write: pause, read again, with a single change: then it can be told whose
 */
type Attempt = 'completed' | 'stale' | 'duplicate key';

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
	readonly #holds: Holds;

	constructor(store: BookingStore, slots: SlotSource, seats: SeatQueue, relay: Relay, holds: Holds) {
		this.#store = store;
		this.#slots = slots;
		this.#seats = seats;
		this.#relay = relay;
		this.#holds = holds;
	}

	/**
	 * Changes a booking as it is when its turn comes, and again where another process was faster.
	 * @throws booking_not_found, version_mismatch, version_conflict, service_unavailable where too many of its events wait, and,
	 *   where a seat is claimed, closed, time_slot_full and duplicate_booking
	 */
	change(request: ChangeRequest, deadline: Deadline, plan: Plan): Promise<PromisedBooking> {
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
		let limit = MOST;
		for (let failures = 0; queue.length > 0; ) {
			if (failures > 0) await delay(randomIndex(4 * failures));
			const waiting = queue.slice(0, limit); // who comes during the reading may know a later version than it finds
			const attempt = await inBatch(
				'change booking',
				() => waiting.map(({ span }) => span),
				() => this.#attempt(queue, waiting),
			);
			failures = attempt === 'completed' ? 0 : Math.min(failures + 1, 10);
			limit = attempt === 'duplicate key' ? 1 : MOST;
		}
		this.#queues.delete(key);
	}

	async #attempt(queue: Queued[], waiting: Queued[]): Promise<Attempt> {
		const [first] = queue as [Queued];
		try {
			first.deadline.assertTimeLeft();
			const current = await this.#find(waiting);
			const now = this.#store.clock.now();
			if (isExpired(current.booking, now)) {
				// Expired from that moment on, whether the sweep was there or not: each change is judged behind its end.
				await underDeadline(first.deadline, () => this.#holds.expire(current.booking, now, first.deadline));
				return 'stale';
			}
			const fold = new Fold(current, now);
			for (const queued of waiting) if (!fold.add(queued)) break;
			if (fold.size > 0) return await this.#together(queue, fold);
			return await underDeadline(first.deadline, () => within(first.span, () => this.#alone(queue, current)));
		} catch (error) {
			queue.shift();
			first.reject(error);
			return 'completed';
		}
	}

	/**
	 * The booking, with the slots that its changes look at: also that which it has while another one of them moves it there.
	 * @throws booking_not_found
	 */
	async #find(waiting: Queued[]): Promise<Current> {
		const booking = await findBooking({ store: this.#store, slots: this.#slots }, waiting[0]!.request);
		const { account_id } = booking;
		const wanted = waiting.map(({ request }) => request.slot).filter((slot) => slot !== undefined);
		const ids = new Set(wanted.map((slot) => (slot === 'its own' ? booking.time_slot_id : slot)));
		const slots = await Promise.all(
			[...ids].map(async (id) => [id, await this.#slots.ask({ account_id, time_slot_id: id })] as const),
		);
		return { booking, slots: new Map(slots) };
	}

	/** Changes that share a write share its failure: where its outcome is unknown, none may be made once more. */
	async #together(queue: Queued[], fold: Fold): Promise<Attempt> {
		try {
			const outcome = await fold.write(this.#store);
			if (outcome === 'duplicate key' && fold.size === 1)
				await this.#assertNoDuplicate(fold.current, queue[0]!.deadline);
			if (outcome !== 'written') return outcome;
		} catch (error) {
			queue.splice(0, fold.size);
			fold.fail(error);
			return 'completed';
		}
		queue.splice(0, fold.size);
		if (fold.changes > 0) await this.#tell(fold.before, fold.current);
		fold.complete();
		return 'completed';
	}

	/** A change that claims a seat, or a deletion. */
	async #alone(queue: Queued[], current: Current): Promise<Attempt> {
		const { plan, deadline, resolve } = queue[0]!;
		assertRoomForEvent(current.booking);
		const planned = plan(current, this.#store.clock.now()) as PlannedChange | 'delete';
		const result =
			planned === 'delete'
				? await this.#delete(current.booking, deadline)
				: await this.#claim(current.booking, planned, queue[0]!);
		if (result === undefined) return 'stale';
		queue.shift();
		await this.#tell(current.booking, result);
		resolve(result);
		return 'completed';
	}

	/** One update takes the new seat and gives up the old one. @returns undefined where it is stale */
	async #claim(
		before: PromisedBooking,
		{ set, event }: PlannedChange,
		{ deadline, request: { ignoresRules = false } }: Queued,
	): Promise<PromisedBooking | undefined> {
		const store = this.#store;
		const after = { ...before, ...set };
		const key = customerKey(after);
		let moved: PromisedBooking | undefined;
		const outcome = await this.#seats.claim({
			account_id: after.account_id,
			time_slot_id: after.time_slot_id,
			date: after.date,
			deadline,
			movedId: before._id,
			customerKey: key,
			quota: null,
			assertSlot(now) {
				if (now === null) throw new ApiError('time_slot_not_found');
				// One that comes back from `cancelled` takes a place, too, but the rules are for those that choose a date.
				const wish = { date: after.date, ignoresRules: ignoresRules || !isMoved(before, after) };
				assertBookable(now, wish, store.clock.now());
			},
			async prepare() {},
			async write(seat, now, lease) {
				const fields = { ...set, ...promisedFields(now, after.date), ...heldFields(after, seat, key) };
				const prepared = prepareUpdate(before, fields, event, store.clock.now());
				moved = prepared.after;
				return store.update(before, prepared.update, { lease, deadline });
			},
		});
		return outcome === 'stale' ? undefined : moved;
	}

	/**
	 * After the write that moved a booking to another service, and before anybody is told, its mark is looked for, as after an
	 * insert: either the closing of that service saw the booking, or this sees the mark (ADR 6). The booking did move, and goes
	 * with the service that it is in now. Where this cannot be found out, the sweep does before it tells of the move.
	 */
	async #tell(before: PromisedBooking, after: PromisedBooking): Promise<void> {
		const { _id, account_id, service_id } = after;
		const { closures, all, clock } = this.#store;
		try {
			if (
				service_id !== before.service_id &&
				(await withoutDeadline(() => closures.isClosed(account_id, service_id)))
			) {
				await withoutDeadline(() => all.deleteWithService(service_id, [_id], clock.now()));
			} else {
				this.#relay.send(after);
			}
		} catch {} // the sweep finds it, for nobody was told
	}

	/** @returns undefined where it is stale */
	async #delete(booking: PromisedBooking, deadline: Deadline): Promise<PromisedBooking | undefined> {
		const { update, after } = prepareDeletion(booking, this.#store.clock.now(), { delete_answered: false });
		const outcome = await this.#store.update(booking, update, { deadline });
		return outcome === 'written' ? after : undefined;
	}

	/**
	 * A unique index refused a change that claims no seat: only its customer's key can be another booking's. Where that one's
	 * hold has ended, it is cancelled, and the change tried again.
	 */
	async #assertNoDuplicate({ account_id, customer_key }: PromisedBooking, deadline: Deadline): Promise<void> {
		const other = await this.#store.withCustomer(account_id, customer_key);
		if (other === null) return;
		const now = this.#store.clock.now();
		if (!isExpired(other, now)) throw new ApiError('duplicate_booking');
		await underDeadline(deadline, () => this.#holds.expire(other, now, deadline));
	}
}
