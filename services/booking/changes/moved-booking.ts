import { ApiError } from '../../../shared/contract/errors.ts';
import type { Deadline } from '../../../shared/work/deadline.ts';
import { assertFallsOn, type BookingWithSlot } from '../catalog-source.ts';
import type { BookingDocument } from '../document/booking.model.ts';
import type { BookingStore } from '../document/booking-store.ts';
import { customerKey } from '../document/keys.ts';
import { prepareUpdate } from '../document/prepare-update.ts';
import { heldFields } from '../document/states.ts';
import type { Claim } from '../seats/seat-queue.ts';
import type { PlannedChange } from './planned-change.ts';

/**
 * The claim of a booking that moves to another date or leaves `cancelled`: one update takes the new seat and gives up the
 * old. Once it went through, `result` is set.
 */
export function movedBooking(
	store: BookingStore,
	before: BookingDocument,
	{ set, event }: PlannedChange,
	deadline: Deadline,
): Claim & { result?: BookingWithSlot } {
	const after = { ...before, ...set };
	const { account_id, time_slot_id, date } = after;
	const key = customerKey(after);
	return {
		account_id,
		time_slot_id,
		date,
		deadline,
		movedId: before._id,
		customerKey: key,
		quota: null,
		assertSlot(slot) {
			if (slot === null) throw new ApiError('booking_not_found');
			if (date !== before.date) assertFallsOn(slot, date);
		},
		async prepare() {},
		async write(seat, slot, lease) {
			const fields = { ...set, ...heldFields(after, seat, key) };
			const { update, after: booking } = prepareUpdate(before, fields, event, slot, store.clock.now());
			this.result = { booking, slot };
			return store.update(before, update, { lease, deadline });
		},
	};
}
