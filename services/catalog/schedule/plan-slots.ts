import { isDeepStrictEqual } from 'node:util';
import { ApiError, type Fault } from '../../../shared/contract/errors.ts';
import type { TimeSlotChange } from '../../../shared/contract/schemas/time-slot.ts';
import { endFaults, validityFaults } from '../validate-service.ts';
import { type SlotDocument, type SlotSchedule, scheduleOf } from './slot.model.ts';

/*
 * What a bulk update leaves of its slots, or why it is refused. The update itself and its dry run both ask here, so that what
 * was told beforehand is what is done.
 */

/** Refuses what is wrong whatever the slots are, before it is known whether they are there. */
export function assertReadable(asked: TimeSlotChange[]): void {
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

/**
 * The slots with these ids, in their order.
 * @param found active slots of the account
 * @throws time_slot_not_found
 */
export function slotsNamed(ids: readonly number[], found: readonly (SlotDocument | null)[]): SlotDocument[] {
	const byId = new Map(found.map((slot) => [slot?._id, slot]));
	return ids.map((id) => {
		const slot = byId.get(id);
		if (!slot) throw new ApiError('time_slot_not_found');
		return slot;
	});
}

/**
 * @param before in the order of the changes
 * @returns the slots as they will be; where nothing changes, the slot itself
 * @throws invalid_request
 */
export function planSlots(
	before: readonly SlotDocument[],
	asked: readonly TimeSlotChange[],
	now: string,
): SlotDocument[] {
	const after = asked.map((change, index) => changed(before[index]!, change, now));
	assertNoFaults(after.flatMap((slot, index) => [...endFaults(slot, index), ...validityFaults(slot, index)]));
	return after;
}

function changed(slot: SlotDocument, change: TimeSlotChange, now: string): SlotDocument {
	const before = scheduleOf(slot);
	const after = { ...before };
	for (const field of Object.keys(before) as (keyof SlotSchedule)[]) {
		if (change[field] !== undefined) Object.assign(after, { [field]: change[field] });
	}
	return isDeepStrictEqual(after, before) ? slot : { ...slot, ...after, updated_at: now };
}

function assertNoFaults(faults: Fault[]): void {
	if (faults.length > 0) throw ApiError.naming('invalid_request', faults);
}
