import { isDuplicateKey, retryDeadlock } from '../../../shared/store/write-errors.ts';
import { withoutDeadline } from '../../../shared/work/deadline.ts';
import type { CatalogStore } from '../catalog-store.ts';
import type { SlotChange, SlotUpdateDocument } from './slot-update.model.ts';

/**
 * Carries out the account's bulk update that was committed and is not yet carried out, if there is one. Whoever changes
 * slots does so first: the next bulk update, a deletion, the sweep; readers only see the slots as if it were. All may do
 * so at once: each slot changes by compare-and-set on its revision, so that it changes once, and never back.
 * @returns the account's bulk updates as they were read
 */
export async function finishSlotUpdate(store: CatalogStore, account_id: string): Promise<SlotUpdateDocument> {
	const update = (await store.findSlotUpdate(account_id)) ?? (await firstOf(store, account_id));
	if (update.open_since > 0) await carryOut(store, update);
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
				store.slots.updateOne(
					{ _id: slot_id, account_id, revision },
					{ $set: { ...set, revision: revision + 1, in_update: false } },
				),
			),
		),
	);
	await store.slotUpdates.updateOne(
		{ _id: account_id, account_id, sequence },
		{ $set: { changes: [], open_since: 0 } },
	);
}

/**
 * Stores a bulk update whose slots are marked: the commit.
 * @param changes none: nobody else may commit on what was read before
 * @returns undefined where another one was committed since `latest` was read
 */
export async function commit(
	store: CatalogStore,
	latest: SlotUpdateDocument,
	changes: SlotChange[],
): Promise<SlotUpdateDocument | undefined> {
	const { _id, account_id, sequence } = latest;
	const next = { sequence: sequence + 1, changes, open_since: changes.length > 0 ? store.clock.now() : 0 };
	const { matchedCount } = await store.slotUpdates.updateOne(
		{ _id, account_id, sequence, open_since: 0 },
		{ $set: next },
	);
	return matchedCount === 1 ? { ...latest, ...next } : undefined;
}

/** From here on no bulk update is committed that read its slots earlier; one that was committed is carried out. */
export async function endSlotUpdates(store: CatalogStore, account_id: string): Promise<void> {
	while (!(await commit(store, await finishSlotUpdate(store, account_id), [])));
}

/** The document of an account that never had a bulk update; made by whoever is first. */
async function firstOf(store: CatalogStore, account_id: string): Promise<SlotUpdateDocument> {
	const first: SlotUpdateDocument = { _id: account_id, account_id, sequence: 0, changes: [], open_since: 0 };
	await retryDeadlock(() => store.slotUpdates.insertMany([first], { lean: true })).catch((error: unknown) => {
		if (!isDuplicateKey(error)) throw error;
	});
	return first;
}
