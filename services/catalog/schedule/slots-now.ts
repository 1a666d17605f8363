import { OverridesOn } from '../../../shared/calendar/overrides.ts';
import type { OccurrenceKey, SlotNow } from '../../../shared/contract/actions.ts';
import { NO_RULES } from '../../../shared/contract/schemas/rules.ts';
import type { CatalogStore } from '../catalog-store.ts';
import type { ServiceNow } from '../service-store.ts';
import { carryOutReplacement } from './carry-out-replacement.ts';
import type { Overrides } from './override-store.ts';
import { type SlotDocument, toTimeSlot } from './slot.model.ts';

/**
 * Slots as they are in the store now, in the order asked, each with what its service decides on a date. Bookings are decided by
 * them, so none of it is a copy.
 *
 * The maximum that follows from slot and overrides was in force at one moment of the read. Where an override holds, it alone is
 * the maximum. Where none does, it is the slot's at a moment at which there was no override: the slots are read first, then
 * the overrides; so where a service never had any, none came before the slot was read. Else the slots are read again: one that is still
 * the same was so when the overrides were read.
 * Slot and service are of one schedule: they carry the number of the last replacement. Where the service's is higher, the slot was
 * read before it or is yet to be changed.
 * @returns null where there is none, where its service is deleted or not yet created, or where it is another account's
 */
export async function findSlots(store: CatalogStore, keys: OccurrenceKey[]): Promise<(SlotNow | null)[]> {
	for (let slots = await store.slots.find(keys); ; ) {
		const services = await store.services.now(slots.filter((slot) => slot !== null));
		const replaced = services.filter(({ _id, generation = 0 }) =>
			slots.some((slot) => isBefore(slot, _id, generation)),
		);
		if (replaced.length > 0) {
			await Promise.all(replaced.map((service) => carryOutReplacement(store, { ...service, service_id: service._id })));
			slots = await store.slots.find(keys);
			continue;
		}
		const overrides = await store.overrides.of(services);
		const byId = new Map(services.map((service) => [service._id, service]));
		const found = slots.map((slot, index) => {
			const service = slot === null ? undefined : byId.get(slot.service_id);
			if (slot === null || service?.account_id !== slot.account_id) return null;
			return slotNow(slot, service, overrides.get(service._id)!, keys[index]!.date);
		});
		const isSure = (now: SlotNow | null) => now === null || now.override !== null || now.overrides_changed_at === null;
		if (found.every(isSure)) return found;
		const again = await store.slots.find(keys);
		if (found.every((now, index) => isSure(now) || again[index]?.revision === slots[index]!.revision)) return found;
		slots = again;
	}
}

function isBefore(slot: SlotDocument | null, service_id: number, generation: number): boolean {
	return slot?.service_id === service_id && slot.state === 'active' && (slot.generation ?? 0) < generation;
}

function slotNow(slot: SlotDocument, service: ServiceNow, { overrides }: Overrides, date: string | undefined): SlotNow {
	const { timezone, rules = NO_RULES, overrides_changed_at = null } = service;
	const override = date === undefined ? null : new OverridesOn(overrides, date).of(slot._id);
	return { slot: toTimeSlot(slot), timezone, rules, override, overrides_changed_at };
}
