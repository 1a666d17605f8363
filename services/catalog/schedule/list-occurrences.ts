import { occurrence } from '../../../shared/calendar/occurrence.ts';
import { datesBetween, dayOfWeek } from '../../../shared/calendar/plain-date.ts';
import type { Params, Result, SlotPlan } from '../../../shared/contract/actions.ts';
import type { Occurrence } from '../../../shared/contract/schemas/availability.ts';
import { Slices } from '../../../shared/work/long-work.ts';
import type { Catalog } from '../catalog.ts';
import type { CatalogStore } from '../catalog-store.ts';
import { readWhole } from './read-whole.ts';

/** An occurrence is 200 bytes as JSON: so many stay below 512 KiB. Those of one date, at most 500, are never parted. */
const MOST = 2_000;
/** Rows between two looks at the clock; near a change to or from summer time, a row takes 0.1 ms */
const ROWS_A_LOOK = 20;

/**
 * Every occurrence of a service from one date to another, both included, by date, then slot. Only whole dates: as many as
 * the limit takes, and at least one.
 * @throws service_not_found
 */
export async function listOccurrences(
	{ store }: Catalog,
	{ account_id, service_id, from, to, limit, plan: given }: Params<'catalog.occurrences'>,
): Promise<Result<'catalog.occurrences'>> {
	const plan = given ?? (await readPlan(store, account_id, service_id));
	const byDay = Map.groupBy(plan.slots, (slot) => slot.day_of_week);
	const occurrences: Occurrence[] = [];
	const slices = new Slices();
	try {
		for (const date of datesBetween(from, to)) {
			const due = byDay.get(dayOfWeek(date)) ?? [];
			if (occurrences.length > 0 && occurrences.length + due.length > Math.min(limit, MOST)) {
				return { occurrences, next: { from: date, plan } };
			}
			for (const [index, slot] of due.entries()) {
				occurrences.push(on(date, slot, plan.timezone));
				slices.count(1);
				if (index % ROWS_A_LOOK === 0 && slices.isUsedUp) await slices.next();
			}
		}
		return { occurrences, next: null };
	} finally {
		slices.end();
	}
}

async function readPlan(store: CatalogStore, account_id: string, service_id: number): Promise<SlotPlan> {
	const part = { account_id, service_id };
	const { slots, service } = await readWhole(store, part, () => store.slots.list(part));
	return {
		timezone: service!.timezone,
		slots: slots.map(({ _id, day_of_week, start_time, end_time, max_bookings }) => {
			return { id: _id, day_of_week, start_time, end_time, max_bookings };
		}),
	};
}

function on(date: string, slot: SlotPlan['slots'][number], timezone: string): Occurrence {
	const { starts_at, ends_at } = occurrence(slot, timezone, date);
	return { date, time_slot_id: slot.id, starts_at, ends_at, max_bookings: slot.max_bookings };
}
