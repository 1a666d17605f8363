import { call } from '../../../shared/bus/call.ts';
import { LAST_DATE, todayIn } from '../../../shared/calendar/bookable.ts';
import type { ServiceKey, SlotPlan } from '../../../shared/contract/actions.ts';
import { ImpactTally } from '../../../shared/contract/impact-tally.ts';
import type { Impact } from '../../../shared/contract/schemas/impact.ts';
import type { Request } from '../catalog.ts';
import type { CatalogStore } from '../catalog-store.ts';
import { readPlan } from './read-slots.ts';

/** A change of a service's schedule, and the part of it that the change is about. */
export interface PlannedChange extends ServiceKey {
	/** Left out: all that the service has */
	slot_ids?: readonly number[] | undefined;
	/** Left out: from today on */
	from?: string;
	to?: string;
	/** The schedule as the change leaves it; slots that are asked about and that it does not have would be retired */
	change(plan: SlotPlan): SlotPlan;
}

/**
 * What a change would mean for bookings on dates to come, today's included, by the clock that the service would have. It is
 * said of a schedule as it was at one moment, so one that changes meanwhile makes it no more than an estimate.
 * @throws service_not_found
 */
export async function impactOf(
	store: CatalogStore,
	{ caller }: Pick<Request, 'caller'>,
	{ account_id, service_id, slot_ids, from = '', to = LAST_DATE, change }: PlannedChange,
): Promise<Impact> {
	const before = await readPlan(store, { account_id, service_id, from, to });
	const plan = change(before);
	const today = todayIn(plan.timezone, store.clock.now());
	const asked = {
		slot_ids: [...(slot_ids ?? before.slots.map(({ id }) => id))],
		from: from > today ? from : today,
		to,
	};
	if (asked.from > asked.to || asked.slot_ids.length === 0) return new ImpactTally().impact;
	return call(caller, 'booking.impact', { account_id, plan, ...asked });
}
