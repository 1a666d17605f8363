import { ApiError } from '../../../shared/contract/errors.ts';
import type { TimeSlot } from '../../../shared/contract/schemas/time-slot.ts';
import type { Lease } from '../../../shared/lock/fair-lock.ts';
import type { Deadline } from '../../../shared/work/deadline.ts';
import { assertFallsOn, type Subject } from '../catalog-source.ts';
import type { BookingDocument } from '../document/booking.model.ts';
import type { BookingStore } from '../document/booking-store.ts';
import { changed } from '../document/change.ts';
import { customerKey, held } from '../document/states.ts';
import type { Claim, WriteOutcome } from '../seats/seat-queue.ts';
import type { PlannedChange } from './planned-change.ts';

/** The booking changed between its reading and its write, in another process. */
export class StaleBooking extends Error {}

/** The claim of a booking that moves to another date or leaves `cancelled`: one update takes the new seat and gives up the old. */
export class MovedBooking implements Claim {
	readonly account_id: string;
	readonly time_slot_id: number;
	readonly date: string;
	readonly deadline: Deadline;
	readonly id: number;
	readonly customerKey: string | null;
	readonly quota = null;
	/** Set once the claim went through. */
	result!: Subject;

	readonly #store: BookingStore;
	readonly #before: BookingDocument;
	readonly #planned: PlannedChange;

	constructor(store: BookingStore, before: BookingDocument, planned: PlannedChange, deadline: Deadline) {
		const after = { ...before, ...planned.set };
		this.#store = store;
		this.#before = before;
		this.#planned = planned;
		this.deadline = deadline;
		this.account_id = before.account_id;
		this.time_slot_id = before.time_slot_id;
		this.date = after.date;
		this.id = before._id;
		this.customerKey = customerKey(after);
	}

	assertSlot(slot: TimeSlot | null): asserts slot is TimeSlot {
		if (slot === null) throw new ApiError('booking_not_found');
		if (this.date !== this.#before.date) assertFallsOn(slot, this.date);
	}

	async prepare(): Promise<void> {}

	async write(seat: number, slot: TimeSlot, lease: Lease | undefined): Promise<WriteOutcome> {
		const { set, event } = this.#planned;
		const after = { ...this.#before, ...set };
		const fields = { ...set, ...held(after, seat, this.customerKey) };
		const { change, result } = changed(this.#before, fields, event, slot, this.#store.clock.now());
		const outcome = await this.#store.update(this.#before, change, { lease, deadline: this.deadline });
		if (outcome === 'stale') throw new StaleBooking();
		this.result = { booking: result, slot };
		return outcome;
	}

	/** Another process moved this very booking here meanwhile. */
	async landed(): Promise<void> {
		throw new StaleBooking();
	}
}
