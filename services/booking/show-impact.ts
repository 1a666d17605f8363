import { LRUCache } from 'lru-cache';
import { maximumOf } from '../../shared/calendar/bookable.ts';
import type { Moments } from '../../shared/calendar/occurrence.ts';
import { OverridesOn } from '../../shared/calendar/overrides.ts';
import { isInStep, scheduledOn } from '../../shared/calendar/scheduled.ts';
import type { ImpactParams, Scoped, SlotPlan } from '../../shared/contract/actions.ts';
import { ImpactTally } from '../../shared/contract/impact-tally.ts';
import type { Impact, PromisedBooking } from '../../shared/contract/schemas/impact.ts';
import { Slices } from '../../shared/work/long-work.ts';
import type { BookingStore } from './document/booking-store.ts';
import type { SeatedBooking } from './document/seated-bookings.ts';
import { isExpired } from './document/states.ts';

/** Dates of which overrides are remembered: the slots of a service are on the same ones */
const DATES = 1_000;

/**
 * What a schedule would mean for the bookings that hold a seat of some slots, on dates from one to another. It is judged by
 * the same rules as creations and availability, and only told: a booking stays as it was promised.
 */
export async function showImpact(
	store: BookingStore,
	{ account_id, plan, slot_ids, from, to }: Scoped & ImpactParams,
): Promise<Impact> {
	const tally = new ImpactTally();
	const slots = new Map(plan.slots.map((slot) => [slot.id, slot]));
	const overrides = overridesBy(plan);
	const now = store.clock.now();
	const slices = new Slices();
	try {
		for (const time_slot_id of slot_ids) {
			const slot = slots.get(time_slot_id);
			for await (const seated of store.seated.ofSlot({ account_id, time_slot_id, from, to })) {
				if (slices.isUsedUp) await slices.next();
				const { date } = seated[0]!;
				const bookings = seated.filter((booking) => !isExpired(booking, now));
				const promised = bookings.flatMap(promisedOf);
				if (slot === undefined) {
					tally.retired.add(...promised);
					continue;
				}
				const max_bookings = maximumOf(slot, overrides(date).of(time_slot_id));
				const booked = bookings.length;
				if (booked > max_bookings) tally.overCapacity.add({ time_slot_id, date, booked, max_bookings });
				const scheduled = scheduledOn({ slot, timezone: plan.timezone }, date);
				const moved = promised.filter((booking) => !isInStep(booking, scheduled));
				tally.outOfStep.add(...moved.map((booking) => ({ ...booking, ...shown(scheduled) })));
			}
		}
		return tally.impact;
	} finally {
		slices.end();
	}
}

function overridesBy(plan: SlotPlan): (date: string) => OverridesOn {
	const known = new LRUCache<string, OverridesOn>({ max: DATES });
	return (date) => {
		const found = known.get(date) ?? new OverridesOn(plan.overrides, date);
		known.set(date, found);
		return found;
	};
}

/** One that an earlier version wrote and no upgrade has met was promised what its slot says, whatever that is: none. */
function promisedOf({ _id: booking_id, time_slot_id, date, promised }: SeatedBooking): PromisedBooking[] {
	if (promised === undefined) return [];
	const { starts_at, ends_at } = promised;
	return [{ booking_id, time_slot_id, date, starts_at, ends_at }];
}

function shown(scheduled: Moments | null) {
	return { scheduled_starts_at: scheduled?.starts_at ?? null, scheduled_ends_at: scheduled?.ends_at ?? null };
}
