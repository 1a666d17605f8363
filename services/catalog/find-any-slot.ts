import type { Result } from '../../shared/actions.ts';
import type { CatalogStore } from './catalog-store.ts';
import { type SlotDocument, toTimeSlot } from './slot.model.ts';

/** A slot by its id alone, whoever's it is: for operators. */
export async function findAnySlot({ slots }: CatalogStore, time_slot_id: number): Promise<Result<'catalog.findSlot'>> {
	const slot = await slots
		.findOne({ _id: time_slot_id, state: 'active' })
		.setOptions({ everyAccount: true })
		.lean<SlotDocument>();
	return slot && { account_id: slot.account_id, slot: toTimeSlot(slot) };
}
