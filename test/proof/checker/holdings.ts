import type { Booking } from '../../../shared/contract/schemas/booking.ts';
import type { Chronicle, Version } from './chronicle.ts';

type Interval = Pick<Version, 'from' | 'to'>;

/** A booking holds a place of one slot and date, for one customer. */
export interface Holding {
	booking: number;
	time_slot_id: number;
	/** `<slot>:<date>` */
	place: string;
	/** Address or number by which a duplicate is told; null where none can be told */
	customer: string | null;
	/** It was taken at a moment of this interval. */
	taken: Interval;
	/** It was given up at a moment of this one; undefined where it never was */
	given: Interval | undefined;
}

/** Who is the same customer (contract §4). */
export function identityOf(customer: { email?: string | null; phone?: string | null }): string | null {
	return customer.email?.toLowerCase() ?? customer.phone ?? null;
}

/**
 * The times for which bookings held their places, as the versions say: `pending` and `confirmed` hold one.
 * @param perCustomer a change of the customer ends a holding and begins another one
 */
export function holdingsOf(chronicles: Iterable<Chronicle>, perCustomer: boolean): Holding[] {
	const all: Holding[] = [];
	for (const chronicle of chronicles) {
		let current: Holding | undefined;
		for (const { state, deleted, from, to } of chronicle.versions) {
			if (state === undefined && !deleted) continue; // nobody saw it; its missing event is told elsewhere
			const next = deleted ? undefined : holdingOf(state!, { from, to });
			const same = current?.place === next?.place && (!perCustomer || current?.customer === next?.customer);
			if (same) continue;
			if (current) current.given = { from, to };
			if (next) all.push(next);
			current = next;
		}
	}
	return all;
}

function holdingOf(state: Booking, taken: Interval): Holding | undefined {
	if (state.status === 'cancelled') return undefined;
	const { id, time_slot_id, date, customer } = state;
	const place = `${time_slot_id}:${date}`;
	return { booking: id, time_slot_id, place, customer: identityOf(customer), taken, given: undefined };
}

/** From when to when it certainly was held; `until` ≤ `since` where no moment is certain. */
export function certain({ taken, given }: Holding): { since: number; until: number } {
	return { since: taken.to, until: given?.from ?? Number.POSITIVE_INFINITY };
}

/** From when to when it may have been held. */
export function possible({ taken, given }: Holding): { since: number; until: number } {
	return { since: taken.from, until: given?.to ?? Number.POSITIVE_INFINITY };
}
