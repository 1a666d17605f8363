import type { TimeSlot } from '../../../shared/contract/schemas/time-slot.ts';
import { timestamp } from '../../../shared/engine/clock.ts';
import { randomBase62 } from '../../../shared/engine/ids.ts';
import { type BookingDocument, filler } from './booking.model.ts';
import type { Change } from './booking-store.ts';
import { eventOf } from './events.ts';

/**
 * What deletes a booking: it gives up its place and leaves every list in the same write. The tombstone stays until its
 * event is delivered and its idempotency key is 24 h old.
 * @param now ms
 */
export function tombstone(before: BookingDocument, slot: TimeSlot, now: number): Change & { write_id: string } {
	const at = timestamp(now);
	const free = filler(before._id);
	const event = eventOf('booking.deleted', { ...before, version: before.version + 1, updated_at: at }, slot);
	return {
		listed_under: 0,
		counted_under: 0,
		place: '',
		seat_key: free,
		customer_key: free,
		deleted_at: at,
		updated_at: at,
		write_id: randomBase62(12),
		relay_at: before.relay_at || now,
		outbox: [event],
	};
}
