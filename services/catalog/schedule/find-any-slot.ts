import type { Result } from '../../../shared/contract/actions.ts';
import type { CatalogStore } from '../catalog-store.ts';
import { toTimeSlot } from './slot.model.ts';

/** A slot by its id alone, whoever's it is: for operators. */
export async function findAnySlot(store: CatalogStore, time_slot_id: number): Promise<Result<'catalog.findSlot'>> {
	const owner = await store.slots
		.findOne({ _id: time_slot_id, state: 'active' })
		.select({ account_id: 1 })
		.setOptions({ everyAccount: true })
		.lean<{ account_id: string }>();
	const [slot] = owner ? await store.findSlots([{ account_id: owner.account_id, time_slot_id }]) : [];
	return slot ? { account_id: slot.account_id, slot: toTimeSlot(slot) } : null;
}
