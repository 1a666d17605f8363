import { isAlone } from '../support/bound.ts';
import { dateOn } from '../support/calendar.ts';
import { activeBookings, createService, slotInput, slotsOf } from '../support/scheduling.ts';
import { burst } from './burst.ts';
import type { Cluster } from './cluster.ts';
import { tally } from './summary.ts';

/** Places of the slots that are contended for */
export const CAPACITIES = [1, 2, 10, 100];

/** For each capacity: how often which answer came; and how many bookings are active after it, in the same order. */
export interface Contention {
	outcomes: Record<number, Record<string, number>>;
	active: number[];
	/** Whether any had to be sent again, because it was not decided in time; on a machine that does much else that is no fault */
	isOverloaded: boolean;
}

/** A service with one slot a capacity, and for each slot `creates` creations at once over all gateways. */
export async function contend(cluster: Cluster, creates: number): Promise<Contention> {
	const [{ http } = { http: undefined }] = cluster.accounts();
	const time_slots = CAPACITIES.map((max_bookings) => slotInput({ max_bookings }));
	const service = await createService(http!, { time_slots });
	const slots = await slotsOf(http!, service.id);
	const outcomes: Contention['outcomes'] = {};
	let again = 0;
	for (const slot of slots) {
		const body = { time_slot_id: slot.id, date: dateOn(1) };
		const all = await burst(cluster.product.urls(), http!.key!, creates, body);
		outcomes[slot.max_bookings] = tally(all.map(({ word }) => word));
		again += all.filter(({ times }) => times > 1).length;
	}
	const active = await activeBookings(http!, service.id);
	return {
		outcomes,
		active: slots.map(({ id }) => active.filter((booking) => booking.time_slot_id === id).length),
		isOverloaded: isAlone && again > 0,
	};
}

/** What must come of it: accepted = min(creates, capacity), and every other one is told that the slot is full. */
export function exactly(creates: number): Contention {
	const outcomes = CAPACITIES.map((max) => {
		const accepted = Math.min(creates, max);
		const full = creates - accepted;
		return [max, { 201: accepted, ...(full > 0 ? { '400 time slot is full': full } : {}) }] as const;
	});
	return {
		outcomes: Object.fromEntries(outcomes),
		active: CAPACITIES.map((max) => Math.min(creates, max)),
		isOverloaded: false,
	};
}
