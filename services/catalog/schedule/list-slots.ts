import { accountKey } from '../../../shared/contract/account-key.ts';
import type { Params, Result } from '../../../shared/contract/actions.ts';
import { pagination } from '../../../shared/contract/schemas/pagination.ts';
import { boundedCount } from '../../../shared/store/bounded-count.ts';
import type { Catalog } from '../catalog.ts';
import { pageWindow } from '../page-window.ts';
import { readWhole } from './read-whole.ts';
import { type SlotDocument, toTimeSlot } from './slot.model.ts';

/** A slot is at most 300 bytes as JSON: so many stay below 512 KiB. */
const MOST = 1000;

/**
 * The slots of a service, or of the account, by id. `all` answers the first 1,000, or as many after the id `after`.
 * @throws service_not_found
 */
export async function listSlots(
	{ store }: Catalog,
	params: Params<'catalog.listSlots'>,
): Promise<Result<'catalog.listSlots'>> {
	const { account_id, service_id, page, page_size, all, after } = params;
	const filter = { account_id, ...(service_id === undefined ? {} : { service_id }), state: 'active' as const };
	const window = all ? pageWindow(1, MOST, after) : pageWindow(page, page_size, after);
	let total = 0;
	const read = async () => {
		const [counted, rows] = await Promise.all([
			boundedCount(store.slots, filter, accountKey({ account_id }, service_id ?? 'all')),
			window
				? store.slots
						.find({ ...filter, _id: { $gt: window.after } })
						.sort({ _id: 1 })
						.skip(window.skip)
						.limit(window.limit)
						.lean<SlotDocument[]>()
				: [],
		]);
		total = counted;
		return rows;
	};
	const { slots, cut } = await readWhole(store, { account_id, service_id }, read);
	return {
		time_slots: slots.map(toTimeSlot),
		cut,
		pagination: all ? pagination(1, Math.max(1, total), total) : pagination(page, page_size, total),
	};
}
