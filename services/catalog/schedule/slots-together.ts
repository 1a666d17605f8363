import type { Params, Result } from '../../../shared/contract/actions.ts';
import { findPlain } from '../../../shared/store/find-plain.ts';
import type { Catalog } from '../catalog.ts';
import { readWhole } from './read-whole.ts';
import { toTimeSlot } from './slot.model.ts';

/**
 * Slots of one service, for a list of bookings that shows them: a bulk update is seen in all of them or in none.
 * @throws service_not_found
 */
export async function slotsTogether(
	{ store }: Catalog,
	{ account_id, service_id, ids }: Params<'catalog.slotsTogether'>,
): Promise<Result<'catalog.slotsTogether'>> {
	const filter = { account_id, service_id, _id: { $in: ids }, state: 'active' as const };
	const { slots, cut } = await readWhole(store, { account_id, service_id }, () => findPlain(store.slots, filter));
	return { time_slots: slots.map(toTimeSlot), cut };
}
