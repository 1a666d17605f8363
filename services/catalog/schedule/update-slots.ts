import { accountKey } from '../../../shared/contract/account-key.ts';
import type { Params, Result } from '../../../shared/contract/actions.ts';
import { ApiError } from '../../../shared/contract/errors.ts';
import type { TimeSlotChange } from '../../../shared/contract/schemas/time-slot.ts';
import { timestamp } from '../../../shared/engine/clock.ts';
import { retryDeadlock } from '../../../shared/store/write-errors.ts';
import type { Catalog, Request } from '../catalog.ts';
import type { CatalogStore } from '../catalog-store.ts';
import { endFaults } from '../validate-service.ts';
import { carryOut, commit, finishSlotUpdate } from './finish-slot-update.ts';
import { type SlotDocument, toTimeSlot } from './slot.model.ts';
import type { SlotChange } from './slot-update.model.ts';

type UpdateSlotsResult = Result<'catalog.updateSlots'>;

/**
 * Changes many slots, all or nothing. First the slots are marked, so that whoever reads a single one looks for an update
 * (`findSlots`); lists look anyway (`readWhole`). Then storing all changes in the account's one document is the commit:
 * from there on every reader sees the slots changed. Then they are, before the answer.
 *
 * Slots change only by bulk updates, and a commit needs that no other one was committed since the slots were read. So
 * what was validated is what is changed, and every change of a committed update applies.
 * @throws invalid_request, time_slot_not_found
 */
export function updateSlots(
	{ store, slotUpdates }: Catalog,
	{ account_id, body }: Params<'catalog.updateSlots'>,
	{ deadline }: Request,
): Promise<UpdateSlotsResult> {
	const asked = body.time_slots;
	assertReadable(asked);
	return slotUpdates.run(accountKey({ account_id }), async () => {
		for (;;) {
			const latest = await finishSlotUpdate(store, account_id);
			const before = await findSlots(store, account_id, asked);
			const now = timestamp(store.clock.now());
			const after = asked.map((change, index) => changed(before[index]!, change, now));
			assertNoFaults(after.flatMap((slot, index) => endFaults(slot, index)));
			const changes = after.flatMap((slot, index) => (slot === before[index] ? [] : [changeOf(slot)]));
			deadline.assertTimeLeft();
			if (changes.length > 0) {
				await mark(
					store,
					before.filter((slot, index) => slot !== after[index]),
				);
				deadline.assertTimeLeft();
				const update = await commit(store, latest, changes);
				if (!update) continue;
				await carryOut(store, update);
			} else if ((await store.findSlotUpdate(account_id))?.sequence !== latest.sequence) {
				continue; // what was read may be half of another update
			}
			return { time_slots: after.map(toTimeSlot) };
		}
	});
}

/** What is wrong whatever the slots are: told before it is told that there is no such slot. */
function assertReadable(asked: TimeSlotChange[]): void {
	const seen = new Set<number>();
	const faults = asked.flatMap((change, index) => {
		const { id, start_time, end_time } = change;
		const twice = seen.has(id) ? [`time_slots[${index}].id: ${id} is named more than once`] : [];
		seen.add(id);
		if (start_time === undefined || end_time === undefined) return twice;
		return [...twice, ...endFaults({ start_time, end_time }, index)];
	});
	assertNoFaults(faults);
}

function assertNoFaults(faults: string[]): void {
	if (faults.length > 0) throw new ApiError('invalid_request', faults.join('; '));
}

async function findSlots(store: CatalogStore, account_id: string, asked: { id: number }[]): Promise<SlotDocument[]> {
	const slots = await store.slots
		.find({ _id: { $in: asked.map(({ id }) => id) }, account_id, state: 'active' })
		.lean<SlotDocument[]>();
	const byId = new Map(slots.map((slot) => [slot._id, slot]));
	return asked.map(({ id }) => {
		const slot = byId.get(id);
		if (!slot) throw new ApiError('time_slot_not_found');
		return slot;
	});
}

/** @returns the slot itself where nothing changes */
function changed(slot: SlotDocument, change: TimeSlotChange, now: string): SlotDocument {
	const after: SlotDocument = {
		...slot,
		day_of_week: change.day_of_week ?? slot.day_of_week,
		start_time: change.start_time ?? slot.start_time,
		end_time: change.end_time ?? slot.end_time,
		max_bookings: change.max_bookings ?? slot.max_bookings,
	};
	const same = (Object.keys(after) as (keyof SlotDocument)[]).every((field) => after[field] === slot[field]);
	return same ? slot : { ...after, updated_at: now };
}

function changeOf({
	_id,
	revision,
	day_of_week,
	start_time,
	end_time,
	max_bookings,
	updated_at,
}: SlotDocument): SlotChange {
	return { slot_id: _id, revision, set: { day_of_week, start_time, end_time, max_bookings, updated_at } };
}

/**
 * A mark of an update that is then not committed stays, and costs readers a look, until the slot is changed. One that is
 * there is as good as one's own: only an update takes it away that is committed after it, and so not with this one.
 */
async function mark(store: CatalogStore, slots: SlotDocument[]): Promise<void> {
	const unmarked = slots.filter((slot) => !slot.in_update);
	if (unmarked.length === 0) return;
	const filter = { _id: { $in: unmarked.map(({ _id }) => _id) }, account_id: unmarked[0]!.account_id };
	await retryDeadlock(() => store.slots.updateMany(filter, { $set: { in_update: true } }));
}
