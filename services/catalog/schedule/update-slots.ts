import { accountKey } from '../../../shared/contract/actions/common.ts';
import type { Params, Result, SlotPlan } from '../../../shared/contract/actions.ts';
import { ImpactTally } from '../../../shared/contract/impact-tally.ts';
import { timestamp } from '../../../shared/engine/clock.ts';
import { withoutDeadline } from '../../../shared/work/deadline.ts';
import type { Catalog, Request } from '../catalog.ts';
import type { CatalogStore } from '../catalog-store.ts';
import { endReplacement } from './carry-out-replacement.ts';
import { impactOf } from './impact-of.ts';
import { assertReadable, planSlots, slotsNamed } from './plan-slots.ts';
import {
	changeOf,
	type SlotChange,
	type SlotDocument,
	type SlotUpdateDocument,
	scheduleOf,
	toTimeSlot,
} from './slot.model.ts';

/**
 * Changes many slots, all or nothing.
 *
 * 1. The slots are marked, so that whoever reads a single one looks for an update (`SlotStore.find`); lists look anyway
 *    (`readWhole`).
 * 2. All changes are stored in the account's one document: this is the commit. From there on every reader sees the slots
 *    changed.
 * 3. The slots themselves are changed, before the answer, or by whoever wants to change slots next (`carryOut`).
 *
 * Slots change only by bulk updates and replacements of their schedule, and a commit needs that no other one was committed since the slots were read. So
 * what was validated is what is changed, and every change of a committed update applies.
 * @throws invalid_request, time_slot_not_found
 */
export async function updateSlots(
	{ store, slotUpdates }: Catalog,
	{ account_id, body }: Params<'catalog.updateSlots'>,
	{ deadline }: Request,
): Promise<Result<'catalog.updateSlots'>> {
	const asked = body.time_slots;
	assertReadable(asked);
	return slotUpdates.run(accountKey({ account_id }), async () => {
		for (;;) {
			const latest = await settledUpdate(store, account_id);
			const ids = asked.map(({ id }) => id);
			const before = slotsNamed(ids, await store.slots.pick({ account_id }, ids));
			const after = planSlots(before, asked, timestamp(store.clock.now()));
			const differing = before.filter((slot, index) => slot !== after[index]);
			deadline.assertTimeLeft();
			if (differing.length > 0) {
				await mark(store, account_id, differing);
				deadline.assertTimeLeft();
				const changes = after.flatMap((slot, index) => (slot === before[index] ? [] : [changeOf(slot)]));
				const update = await commit(store, latest, changes);
				if (!update) continue;
				await carryOut(store, update);
			} else if ((await store.slots.latestUpdate(account_id))?.sequence !== latest.sequence) {
				continue; // what was read may be half of another update
			}
			return { time_slots: after.map(toTimeSlot) };
		}
	});
}

/**
 * What an update would answer, and what it would mean for bookings of the slots that it names.
 * @throws what the update would
 */
export async function previewSlots(
	{ store }: Catalog,
	{ account_id, body }: Params<'catalog.previewSlots'>,
	request: Request,
): Promise<Result<'catalog.previewSlots'>> {
	const asked = body.time_slots;
	assertReadable(asked);
	const ids = asked.map(({ id }) => id);
	const before = slotsNamed(ids, await store.slots.find(ids.map((time_slot_id) => ({ account_id, time_slot_id }))));
	const after = planSlots(before, asked, timestamp(store.clock.now()));
	const tally = new ImpactTally();
	for (const [service_id, slots] of Map.groupBy(after, (slot) => slot.service_id)) {
		const slot_ids = slots.map(({ _id }) => _id);
		const change = (plan: SlotPlan) => withSlots(plan, slots);
		tally.add(await impactOf(store, request, { account_id, service_id, slot_ids, change }));
	}
	return { time_slots: after.map(toTimeSlot), impact: tally.impact };
}

function withSlots(plan: SlotPlan, changed: SlotDocument[]): SlotPlan {
	const byId = new Map(changed.map((slot) => [slot._id, scheduleOf(slot)]));
	return { ...plan, slots: plan.slots.map((slot) => ({ ...slot, ...byId.get(slot.id) })) };
}

/** From here on no bulk update is committed that read its slots earlier; one that was committed is carried out. */
export async function endSlotUpdates(store: CatalogStore, account_id: string): Promise<void> {
	while (!(await commit(store, await settledUpdate(store, account_id), [])));
}

/**
 * Changes every slot of a committed bulk update, then notes that it is done. It has no deadline, for the update has
 * happened already. Any number of processes may do so at once: each slot changes by compare-and-set on its revision, so
 * that it changes once, and never back.
 */
export function carryOut(store: CatalogStore, update: SlotUpdateDocument): Promise<void> {
	return withoutDeadline(async () => {
		await store.slots.changeAll(update.account_id, update.changes);
		await store.slots.updateDone(update);
	});
}

/**
 * The account's bulk updates as they were read, after the last one is carried out and a replacement of a schedule has come to
 * its end. Whoever is about to change slots or to delete them does this first; those who only read see the slots as if it were.
 */
export async function settledUpdate(store: CatalogStore, account_id: string): Promise<SlotUpdateDocument> {
	for (;;) {
		const update = (await store.slots.latestUpdate(account_id)) ?? (await store.slots.firstUpdate(account_id));
		if (update.open_since > 0) await carryOut(store, update);
		if (!update.replacing) return update;
		await endReplacement(store, update);
	}
}

/**
 * Stores a bulk update whose slots are marked: the commit.
 * @param changes none: nobody else may commit on what was read before
 * @returns undefined where another one was committed since `latest` was read
 */
async function commit(
	store: CatalogStore,
	latest: SlotUpdateDocument,
	changes: SlotChange[],
): Promise<SlotUpdateDocument | undefined> {
	const open_since = changes.length > 0 ? store.clock.now() : 0;
	const next = { sequence: latest.sequence + 1, changes, open_since };
	return (await store.slots.commitUpdate(latest, next)) ? { ...latest, ...next } : undefined;
}

/**
 * A mark stays where its update is then not committed. It costs readers a look, until the slot is changed. A mark that is
 * there already is as good as one's own: only an update that is committed after it takes it away, and then this one is not
 * committed.
 */
async function mark(store: CatalogStore, account_id: string, slots: SlotDocument[]): Promise<void> {
	const unmarked = slots.filter((slot) => !slot.in_update).map(({ _id }) => _id);
	if (unmarked.length > 0) await store.slots.mark(account_id, unmarked);
}
