import type { SlotKey } from '../../../shared/contract/actions.ts';
import type { TimeSlot } from '../../../shared/contract/schemas/time-slot.ts';
import type { CatalogStore } from '../catalog-store.ts';
import { toTimeSlot } from './slot.model.ts';

/**
 * Slots as they are in the store now, in the order asked: bookings are decided by them, so nothing here is cached.
 * @returns null where there is none, where its service is deleted or not yet created, or where it is another account's
 */
export async function findSlots(store: CatalogStore, keys: SlotKey[]): Promise<(TimeSlot | null)[]> {
	const slots = await store.findSlots(keys);
	return slots.map((slot) => slot && toTimeSlot(slot));
}
