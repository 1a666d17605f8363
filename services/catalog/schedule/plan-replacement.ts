import { isDeepStrictEqual } from 'node:util';
import { ApiError, type Fault } from '../../../shared/contract/errors.ts';
import { NO_RULES, type Rules } from '../../../shared/contract/schemas/rules.ts';
import type { ReplaceSchedule, Schedule } from '../../../shared/contract/schemas/schedule.ts';
import type { ServiceDocument } from '../service.model.ts';
import { endFaults, validityFaults, zoneFaults } from '../validate-service.ts';
import { type SlotDocument, type SlotSchedule, scheduleOf, toTimeSlot } from './slot.model.ts';

/** A service with the slots of its schedule, as they were at one moment. */
export interface ScheduleNow {
	service: ServiceDocument;
	/** By id */
	slots: SlotDocument[];
}

/** What a new schedule makes of the one that there is. */
export interface SchedulePlan {
	/** When it is to be, ISO 8601 */
	at: string;
	timezone: string;
	rules: Rules;
	/** Slots that stay, as they are then, by id */
	kept: SlotDocument[];
	/** Those of them that change */
	changed: SlotDocument[];
	/** Slots that go, as they were */
	retired: SlotDocument[];
	/** In the order given */
	added: SlotSchedule[];
	/** Whether the service itself changes */
	changesService: boolean;
	/** Whether anything does */
	isChange: boolean;
}

/**
 * The version of a schedule. Each change of a slot, of an override, of the rules and of the time zone raises it, with the
 * number that it raises anyway; a replacement raises it by 1 (`scheduleVersion`).
 */
export function versionOf({ service, slots }: ScheduleNow): number {
	const { schedule_version = 0, overrides_version = 0 } = service;
	return 1 + schedule_version + overrides_version + changesOf(slots);
}

function changesOf(slots: Pick<SlotDocument, 'revision'>[]): number {
	return slots.reduce((sum, { revision }) => sum + revision - 1, 0);
}

/**
 * The service's own part of the next version.
 * @param slots of the next schedule, with their revisions then
 */
export function scheduleVersion(before: ScheduleNow, slots: Pick<SlotDocument, 'revision'>[]): number {
	return versionOf(before) - (before.service.overrides_version ?? 0) - changesOf(slots);
}

/** What the API shows of a schedule. */
export function toSchedule(now: ScheduleNow): Schedule {
	const { timezone, rules = NO_RULES } = now.service;
	return { timezone, time_slots: now.slots.map(toTimeSlot), rules, version: versionOf(now) };
}

/** Refuses what is wrong whatever the schedule is that there is. @throws invalid_request, which names every failing field */
export function assertReplaceable({ timezone, time_slots }: ReplaceSchedule): void {
	const seen = new Set<number>();
	const faults = time_slots.flatMap((slot, index): Fault[] => {
		const { id } = slot;
		const again: Fault[] =
			id !== undefined && seen.has(id)
				? [{ field: `time_slots[${index}].id`, code: 'repeated', message: `${id} is named more than once` }]
				: [];
		if (id !== undefined) seen.add(id);
		return [...again, ...endFaults(slot, index), ...validityFaults(slot, index)];
	});
	const all = [...zoneFaults(timezone), ...faults];
	if (all.length > 0) throw ApiError.naming('invalid_request', all);
}

/**
 * What a new schedule changes. Nothing is written.
 * @param at when it is to be, ISO 8601
 * @throws time_slot_not_found where it names a slot that is not one of this schedule
 */
export function planReplacement(
	{ service, slots }: ScheduleNow,
	{ timezone, time_slots, rules: given }: ReplaceSchedule,
	at: string,
): SchedulePlan {
	const byId = new Map(time_slots.flatMap((slot) => (slot.id === undefined ? [] : [[slot.id, slot] as const])));
	const stays = ({ _id }: SlotDocument) => byId.has(_id);
	const kept = slots.filter(stays).map((slot) => {
		const schedule = scheduleOf(byId.get(slot._id)!);
		if (isDeepStrictEqual(schedule, scheduleOf(slot))) return slot;
		return { ...slot, ...schedule, revision: slot.revision + 1, updated_at: at };
	});
	if (kept.length < byId.size) throw new ApiError('time_slot_not_found');
	const retired = slots.filter((slot) => !stays(slot));
	const added = time_slots.filter(({ id }) => id === undefined).map(scheduleOf);
	const changed = kept.filter((slot) => !slots.includes(slot));
	const rules = { ...NO_RULES, ...given };
	const changesService = timezone !== service.timezone || !isDeepStrictEqual(rules, { ...NO_RULES, ...service.rules });
	const isChange = changesService || changed.length + retired.length + added.length > 0;
	return { at, timezone, rules, kept, changed, retired, added, changesService, isChange };
}
