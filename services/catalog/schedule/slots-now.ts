import type { SlotKey, SlotNow } from '../../../shared/contract/actions.ts';
import { NO_RULES } from '../../../shared/contract/schemas/rules.ts';
import type { CatalogStore } from '../catalog-store.ts';
import type { ServiceNow } from '../service-store.ts';
import { type SlotDocument, toTimeSlot } from './slot.model.ts';

/**
 * Slots as they are in the store now, in the order asked, each with what its service decides: bookings are decided by them, so
 * neither is cached. Where it is known whose slot it is, both are read at the same time.
 * @returns null where there is none, where its service is deleted or not yet created, or where it is another account's
 */
export async function findSlots({ slots, services }: CatalogStore, keys: SlotKey[]): Promise<(SlotNow | null)[]> {
	const known = keys.flatMap((key) => {
		const service_id = slots.serviceIds.get(key.time_slot_id);
		return service_id === undefined ? [] : [{ account_id: key.account_id, service_id }];
	});
	const [found, read] = await Promise.all([slots.find(keys), services.now(known)]);
	const byId = new Map(read.map((service) => [service._id, service]));
	const others = found.filter((slot) => slot !== null && !byId.has(slot.service_id)) as SlotDocument[];
	for (const service of await services.now(others)) byId.set(service._id, service);
	for (const { _id, service_id } of others) slots.serviceIds.set(_id, service_id);
	return found.map((slot) => slot && slotNow(slot, byId.get(slot.service_id)));
}

function slotNow(slot: SlotDocument, service: ServiceNow | undefined): SlotNow | null {
	if (service?.account_id !== slot.account_id) return null;
	return { slot: toTimeSlot(slot), timezone: service.timezone, rules: service.rules ?? NO_RULES };
}
