import { accountKey } from '../../../shared/contract/actions/common.ts';
import type { Params, Result, SlotPlan } from '../../../shared/contract/actions.ts';
import type { Schedule, SchedulePreview } from '../../../shared/contract/schemas/schedule.ts';
import { assertVersion } from '../../../shared/contract/version.ts';
import { timestamp } from '../../../shared/engine/clock.ts';
import { underDeadline } from '../../../shared/work/deadline.ts';
import type { Catalog, Request } from '../catalog.ts';
import type { CatalogStore } from '../catalog-store.ts';
import { serviceKey } from '../service.model.ts';
import { carryOutReplacement } from './carry-out-replacement.ts';
import { impactOf } from './impact-of.ts';
import {
	assertReplaceable,
	planReplacement,
	type ScheduleNow,
	type SchedulePlan,
	scheduleVersion,
	toSchedule,
} from './plan-replacement.ts';
import { readWhole } from './read-slots.ts';
import { changeOf, type SlotDocument, type SlotUpdateDocument, scheduleOf, toTimeSlot } from './slot.model.ts';
import { settledUpdate } from './update-slots.ts';

type ReplaceParams = Params<'catalog.replaceSchedule'>;

/** @throws service_not_found */
export async function getSchedule(
	{ store }: Catalog,
	{ account_id, service_id }: Params<'catalog.getSchedule'>,
): Promise<Schedule> {
	const part = { account_id, service_id };
	const { slots, service } = await readWhole(store, part, () => store.slots.list(part));
	return toSchedule({ service: service!, slots });
}

/**
 * Replaces time zone, rules and slots of a service, all or nothing.
 *
 * 1. The replacement is begun in the account's slot updates: from here nobody else changes slots, unless he breaks it off.
 * 2. One write of the service's document commits it, by compare-and-set on all that was read: time zone, rules, and what is to
 *    be done to the slots. Before it nobody sees anything of it; a process that dies leaves nothing but what step 1 wrote.
 * 3. The slots are changed, before the answer, or by whoever meets the service before that (`carryOutReplacement`).
 *
 * Who reads a service's slots looks at the service before and after (`readWhole`), or at the generation that both carry
 * (`findSlots`), so nobody sees the slots of one schedule with the service of another.
 * @throws service_not_found, version_mismatch, version_conflict, invalid_request, time_slot_not_found; gateway_timeout:
 *   nothing was written
 */
export function replaceSchedule(
	{ store, changes, slotUpdates }: Catalog,
	params: ReplaceParams,
	{ deadline }: Request,
): Promise<Schedule> {
	const { account_id, service_id, body } = params;
	assertReplaceable(body);
	const attempts = async () => {
		for (;;) {
			const before = await readSettled(store, params);
			const plan = plannedNow(before, params, store);
			if (!plan.isChange) return toSchedule(before);
			deadline.assertTimeLeft();
			const begun = await store.replacements.begin(before.update, service_id);
			if (begun === null) continue;
			const replaced = await underDeadline(deadline, () => commit(store, before, begun, plan));
			if (replaced === null) {
				await store.replacements.end(begun);
				continue;
			}
			await carryOutReplacement(store, { account_id, service_id });
			return toSchedule(replaced);
		}
	};
	return changes.run(serviceKey(params), () => slotUpdates.run(accountKey(params), attempts));
}

/**
 * What a replacement would answer, and what it would mean for bookings of the slots that there are.
 * @throws what the replacement would
 */
export async function previewSchedule(
	{ store }: Catalog,
	params: Params<'catalog.previewSchedule'>,
	request: Request,
): Promise<Result<'catalog.previewSchedule'>> {
	const { account_id, service_id, body } = params;
	assertReplaceable(body);
	const { slots, service } = await readWhole(store, params, () => store.slots.list({ account_id, service_id }));
	const before: ScheduleNow = { slots, service: service! };
	const plan = plannedNow(before, params, store);
	const change = (now: SlotPlan): SlotPlan => {
		const kept = plan.kept.map((slot) => ({ id: slot._id, ...scheduleOf(slot) }));
		return { ...now, timezone: plan.timezone, rules: plan.rules, slots: kept };
	};
	const slot_ids = slots.map(({ _id }) => _id);
	const impact = await impactOf(store, request, { account_id, service_id, slot_ids, change });
	const { version } = toSchedule(before);
	const added = plan.added.map((slot) => ({ id: null, service_id, ...slot, created_at: plan.at, updated_at: plan.at }));
	const data: SchedulePreview = {
		timezone: plan.timezone,
		time_slots: [...plan.kept.map(toTimeSlot), ...added],
		rules: plan.rules,
		version: plan.isChange ? version + 1 : version,
		impact,
	};
	return { data, version };
}

interface Settled extends ScheduleNow {
	update: SlotUpdateDocument;
}

/** The schedule, with the account's slot updates as they were then: none of them open. @throws service_not_found */
async function readSettled(store: CatalogStore, part: { account_id: string; service_id: number }): Promise<Settled> {
	for (;;) {
		const settled = await settledUpdate(store, part.account_id);
		const { slots, service, update } = await readWhole(store, part, () => store.slots.list(part));
		if (update?.sequence === settled.sequence) return { slots, service: service!, update };
	}
}

/** @throws version_mismatch, version_conflict, time_slot_not_found */
function plannedNow(before: ScheduleNow, { body, if_match }: ReplaceParams, { clock }: CatalogStore): SchedulePlan {
	assertVersion(toSchedule(before).version, if_match, body.version);
	return planReplacement(before, body, timestamp(clock.now()));
}

/** @returns null where the service changed since, or somebody broke the replacement off */
async function commit(
	store: CatalogStore,
	before: Settled,
	begun: SlotUpdateDocument,
	plan: SchedulePlan,
): Promise<ScheduleNow | null> {
	const { service } = before;
	const added = await newSlots(store, before, begun, plan);
	const slots = [...plan.kept, ...added]; // the ids of new ones are higher
	const change = {
		timezone: plan.timezone,
		rules: plan.rules,
		version: service.version + (plan.changesService ? 1 : 0),
		updated_at: plan.changesService ? plan.at : service.updated_at,
		schedule_version: scheduleVersion(before, slots),
	};
	const replacement = {
		before: service.generation ?? 0,
		changed: plan.changed.map((slot) => changeOf({ ...slot, revision: slot.revision - 1, generation: begun.sequence })),
		retired: plan.retired.map(({ _id }) => _id),
		added,
	};
	const isCommitted = await store.replacements.commit(service, begun, change, replacement);
	return isCommitted ? { service: { ...service, ...change }, slots } : null;
}

async function newSlots(
	store: CatalogStore,
	{ service: { _id: service_id, account_id } }: ScheduleNow,
	{ sequence: generation }: SlotUpdateDocument,
	{ added, at }: SchedulePlan,
): Promise<SlotDocument[]> {
	if (added.length === 0) return [];
	const firstId = await store.slots.nextIds(added.length);
	return added.map((schedule, index) => ({
		...{ _id: firstId + index, account_id, service_id, ...schedule, generation },
		...{ state: 'new', revision: 1, created_at: at, updated_at: at },
	}));
}
