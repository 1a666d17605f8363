import type { Params, Result, SlotKey } from '../../../shared/contract/actions.ts';
import { pagination } from '../../../shared/contract/schemas/pagination.ts';
import type { TimeSlot } from '../../../shared/contract/schemas/time-slot.ts';
import type { Catalog } from '../catalog.ts';
import type { CatalogStore } from '../catalog-store.ts';
import { pageWindow } from '../page-window.ts';
import { readWhole } from './read-whole.ts';
import { toTimeSlot } from './slot.model.ts';

/** A slot is at most 300 bytes as JSON: so many stay below 512 KiB. */
const MOST = 1000;

/**
 * Slots as they are in the store now, in the order asked: bookings are decided by them, so nothing here is cached.
 * @returns null where there is none, where its service is deleted or not yet created, or where it is another account's
 */
export async function findSlots({ slots }: CatalogStore, keys: SlotKey[]): Promise<(TimeSlot | null)[]> {
	const found = await slots.find(keys);
	return found.map((slot) => slot && toTimeSlot(slot));
}

/** A slot by its id alone, whichever account it belongs to: for operators. */
export async function findAnySlot({ slots }: CatalogStore, time_slot_id: number): Promise<Result<'catalog.findSlot'>> {
	const owner = await slots.ownerOf(time_slot_id);
	const [slot] = owner ? await slots.find([{ ...owner, time_slot_id }]) : [];
	return slot ? { account_id: slot.account_id, slot: toTimeSlot(slot) } : null;
}

/**
 * The slots of a service, or of the account, by id. `all` answers the first 1,000, or as many after the id `after`.
 * @throws service_not_found
 */
export async function listSlots(
	{ store }: Catalog,
	params: Params<'catalog.listSlots'>,
): Promise<Result<'catalog.listSlots'>> {
	const { account_id, service_id, page, page_size, all, after } = params;
	const part = { account_id, service_id };
	const window = all ? pageWindow(1, MOST, after) : pageWindow(page, page_size, after);
	let total = 0;
	const { slots, cut } = await readWhole(store, part, async () => {
		const [counted, rows] = await Promise.all([store.slots.count(part), window ? store.slots.list(part, window) : []]);
		total = counted;
		return rows;
	});
	return {
		time_slots: slots.map(toTimeSlot),
		cut,
		pagination: all ? pagination(1, Math.max(1, total), total) : pagination(page, page_size, total),
	};
}

/**
 * Slots of one service, for a list of bookings that shows them: a bulk update is seen in all of them or in none.
 * @throws service_not_found
 */
export async function slotsTogether(
	{ store }: Catalog,
	{ account_id, service_id, ids }: Params<'catalog.slotsTogether'>,
): Promise<Result<'catalog.slotsTogether'>> {
	const part = { account_id, service_id };
	const { slots, cut } = await readWhole(store, part, () => store.slots.pick(part, ids));
	return { time_slots: slots.map(toTimeSlot), cut };
}
