import { isDeepStrictEqual } from 'node:util';
import { accountKey } from '../../../shared/contract/actions/common.ts';
import type { Params, Result } from '../../../shared/contract/actions.ts';
import { ApiError, type Fault } from '../../../shared/contract/errors.ts';
import type { TimeSlotChange } from '../../../shared/contract/schemas/time-slot.ts';
import { timestamp } from '../../../shared/engine/clock.ts';
import { withoutDeadline } from '../../../shared/work/deadline.ts';
import type { Catalog, Request } from '../catalog.ts';
import type { CatalogStore } from '../catalog-store.ts';
import { endFaults, validityFaults } from '../validate-service.ts';
import {
	type SlotChange,
	type SlotDocument,
	type SlotSchedule,
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
 * Slots change only by bulk updates, and a commit needs that no other one was committed since the slots were read. So
 * what was validated is what is changed, and every change of a committed update applies.
 * @throws invalid_request, time_slot_not_found
 */
export function updateSlots(
	{ store, slotUpdates }: Catalog,
	{ account_id, body }: Params<'catalog.updateSlots'>,
	{ deadline }: Request,
): Promise<Result<'catalog.updateSlots'>> {
	const asked = body.time_slots;
	assertReadable(asked);
	return slotUpdates.run(accountKey({ account_id }), async () => {
		for (;;) {
			const latest = await settledUpdate(store, account_id);
			const before = await findSlots(store, account_id, asked);
			const now = timestamp(store.clock.now());
			const after = asked.map((change, index) => changed(before[index]!, change, now));
			assertNoFaults(after.flatMap((slot, index) => [...endFaults(slot, index), ...validityFaults(slot, index)]));
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
		await Promise.all(update.changes.map((change) => store.slots.change(update.account_id, change)));
		await store.slots.updateDone(update);
	});
}

/**
 * The account's bulk updates as they were read, after the last one is carried out. Whoever is about to change slots or to
 * delete them does this first; those who only read see the slots as if it were.
 */
async function settledUpdate(store: CatalogStore, account_id: string): Promise<SlotUpdateDocument> {
	const update = (await store.slots.latestUpdate(account_id)) ?? (await store.slots.firstUpdate(account_id));
	if (update.open_since > 0) await carryOut(store, update);
	return update;
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

/** Refuses what is wrong whatever the slots are, before it is known whether they are there. */
function assertReadable(asked: TimeSlotChange[]): void {
	const seen = new Set<number>();
	const faults = asked.flatMap((change, index): Fault[] => {
		const { id, start_time, end_time } = change;
		const again: Fault = {
			field: `time_slots[${index}].id`,
			code: 'repeated',
			message: `${id} is named more than once`,
		};
		const twice = seen.has(id) ? [again] : [];
		seen.add(id);
		const validity = validityFaults(change, index);
		if (start_time === undefined || end_time === undefined) return [...twice, ...validity];
		return [...twice, ...endFaults({ start_time, end_time }, index), ...validity];
	});
	assertNoFaults(faults);
}

function assertNoFaults(faults: Fault[]): void {
	if (faults.length > 0) throw ApiError.naming('invalid_request', faults);
}

async function findSlots(store: CatalogStore, account_id: string, asked: { id: number }[]): Promise<SlotDocument[]> {
	const ids = asked.map(({ id }) => id);
	const slots = await store.slots.pick({ account_id }, ids);
	const byId = new Map(slots.map((slot) => [slot._id, slot]));
	return ids.map((id) => {
		const slot = byId.get(id);
		if (!slot) throw new ApiError('time_slot_not_found');
		return slot;
	});
}

/** @returns the slot itself where nothing changes */
function changed(slot: SlotDocument, change: TimeSlotChange, now: string): SlotDocument {
	const before = scheduleOf(slot);
	const after = { ...before };
	for (const field of Object.keys(before) as (keyof SlotSchedule)[]) {
		if (change[field] !== undefined) Object.assign(after, { [field]: change[field] });
	}
	return isDeepStrictEqual(after, before) ? slot : { ...slot, ...after, updated_at: now };
}

function changeOf(slot: SlotDocument): SlotChange {
	return { slot_id: slot._id, revision: slot.revision, set: { ...scheduleOf(slot), updated_at: slot.updated_at } };
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
