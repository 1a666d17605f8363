import { ApiError } from '../../../shared/contract/errors.ts';
import type { TimeSlot } from '../../../shared/contract/schemas/time-slot.ts';
import type { Lease } from '../../../shared/lock/fair-lock.ts';
import type { Deadline } from '../../../shared/work/deadline.ts';
import { assertFallsOn } from '../assert-falls-on.ts';
import type { BookingDocument } from '../document/booking.model.ts';
import type { BookingStore } from '../document/booking-store.ts';
import { customerKeyOf, placeOf, seatKeyOf } from '../document/capacity.ts';
import { customerIdentity } from '../document/keys.ts';
import type { Claim, WriteOutcome } from '../seats/seat-queue.ts';
import { completeChange, customerKey, type PlannedChange, type Subject } from './planned-change.ts';

/** The booking changed between its reading and its write, in another process. */
export class StaleBooking extends Error {}

/** The claim of a booking that moves to another date or leaves `cancelled`: one update takes the new place and gives up the old. */
export class ChangedPlace implements Claim {
	readonly account_id: string;
	readonly time_slot_id: number;
	readonly date: string;
	readonly deadline: Deadline;
	readonly id: number;
	readonly customerKey: string | null;
	readonly quota = 'not needed';
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
		this.customerKey = customerKeyOf(placeOf(before.time_slot_id, after.date), customerIdentity(after.customer));
	}

	assertSlot(slot: TimeSlot | null): asserts slot is TimeSlot {
		if (slot === null) throw new ApiError('booking_not_found');
		if (this.date !== this.#before.date) assertFallsOn(slot, this.date);
	}

	async prepare(): Promise<void> {}

	async write(seat: number, slot: TimeSlot, lease: Lease | undefined): Promise<WriteOutcome> {
		const place = placeOf(this.time_slot_id, this.date);
		const keys = {
			place,
			counted_under: this.#before.service_id,
			seat_key: seatKeyOf(place, seat),
			customer_key: customerKey({ ...this.#before, ...this.#planned.set }),
		};
		const { change, result } = completeChange(this.#store.clock.now(), this.#before, slot, this.#planned, keys);
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
