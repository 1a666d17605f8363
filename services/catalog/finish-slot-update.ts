import { withoutDeadline } from '../../shared/deadline.ts';
import { retryDeadlock } from '../../shared/store/write-errors.ts';
import type { CatalogStore } from './catalog-store.ts';
import type { SlotUpdateDocument } from './slot-update.model.ts';

/**
 * Carries out the account's bulk update that was committed and is not yet carried out, if there is one. Whoever meets it
 * does: the next bulk update, a deletion, a list, the sweep. All may do so at once: each slot changes by compare-and-set
 * on its revision, so that it changes once, and never back.
 * @returns the account's bulk updates as they were read; null where it never had one
 */
export async function finishSlotUpdate(store: CatalogStore, account_id: string): Promise<SlotUpdateDocument | null> {
	const update = await store.slotUpdates.findOne({ _id: account_id, account_id }).lean<SlotUpdateDocument>();
	if (update && update.open_since > 0) await carryOut(store, update);
	return update;
}

/** Changes every slot of a committed bulk update, then marks it as done: it has happened, whoever waits for it. */
export function carryOut(store: CatalogStore, update: SlotUpdateDocument): Promise<void> {
	return withoutDeadline(() => changeSlots(store, update));
}

async function changeSlots(store: CatalogStore, update: SlotUpdateDocument): Promise<void> {
	const { account_id, sequence, changes } = update;
	await Promise.all(
		changes.map(({ slot_id, revision, set }) =>
			retryDeadlock(() =>
				store.slots.updateOne({ _id: slot_id, account_id, revision }, { $set: { ...set, revision: revision + 1 } }),
			),
		),
	);
	await store.slotUpdates.updateOne(
		{ _id: account_id, account_id, sequence },
		{ $set: { changes: [], open_since: 0 } },
	);
}
