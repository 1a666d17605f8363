import type { Finding, FindingKind } from '../../../shared/contract/reports.ts';

export type { Finding };

/** ms between the two looks at what several documents say */
export const LOOK_AGAIN_AFTER = 1_000;

/** What an operator does about a finding that is not repaired. */
const ADVICE: Record<FindingKind, string> = {
	seat_taken_twice: 'the unique index seat_key is missing or damaged: stop booking, restore the index, cancel one',
	customer_twice: 'the unique index customer_key is missing or damaged: restore the index, cancel one of them',
	overbooked: 'tell the developers; raise the maximum, or cancel the newest ones',
	seat_above_maximum: 'tell the developers; no place is lost, for places are counted, not seats',
	wrong_keys: 'audit --repair gives it a free seat of its slot and date; with none left raise the maximum or cancel it',
	holds_after_end: 'audit --repair frees what it holds',
	service_closed: 'audit --repair deletes it, as the deletion of its service should have',
	slot_missing: 'restore its time slot from a backup; where its service is being deleted, audit again in a minute',
	foreign_booking: 'audit --repair deletes it: its account cannot see it, and the seat is the owner’s of the slot',
	wrong_list: 'audit --repair lists it where it belongs',
	wrong_idempotency: 'audit --repair frees a key that has no record; any other is harmless once it is 24 h old',
	event_forgotten: 'audit --repair marks it for the next sweep',
	event_late: 'look at `status` and the log: notifications or customer cannot be reached, or refuse the event',
};

export function finding(kind: FindingKind, place: string, booking_ids: number[], detail: string): Finding {
	return { kind, place, booking_ids, detail, advice: ADVICE[kind], repaired: null };
}

/** The findings of a first look that a second one, a moment later, has too: the first may have met a change half way. */
export function inBoth(first: Finding[], second: Finding[]): Finding[] {
	const keyOf = ({ kind, place, booking_ids }: Finding) => `${kind} ${place} ${booking_ids}`;
	const seen = new Set(first.map(keyOf));
	return second.filter((one) => seen.has(keyOf(one)));
}
