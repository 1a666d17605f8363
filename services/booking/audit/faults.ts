import type { Finding, FindingKind } from '../../../shared/contract/reports.ts';
import { type BookingDocument, NO_KEY } from '../document/booking.model.ts';
import { customerKey, idempotencyKeyOf, occurrenceName } from '../document/keys.ts';
import { heldFields, heldUntil, isActive, isExpired, releasedFields } from '../document/states.ts';

/** ms between the two looks at what several documents say */
export const LOOK_AGAIN_AFTER = 1_000;

/** What an operator does about a finding that is not repaired. */
const ADVICE: Record<FindingKind, string> = {
	seat_taken_twice: 'the unique index seats is missing or damaged: stop booking, restore the index, cancel one',
	customer_twice: 'the unique index customer_key is missing or damaged: restore the index, cancel one of them',
	overbooked: 'tell the developers; raise the maximum, or cancel the newest ones',
	seat_above_maximum: 'tell the developers; nobody is refused for it, because bookings are counted, not seats',
	wrong_keys: 'audit --repair gives it a free seat of its slot and date; with none left raise the maximum or cancel it',
	holds_after_end: 'audit --repair frees what it holds',
	service_closed: 'audit again in a minute, where its service is being deleted; else audit --repair deletes it',
	slot_missing: 'restore its time slot from a backup; where its service is being deleted, audit again in a minute',
	foreign_booking: 'audit --repair deletes it: its account cannot see it, and the seat is the owner’s of the slot',
	wrong_list: 'audit --repair lists it where it belongs',
	wrong_hold: 'audit --repair marks it for the sweep of the holds, or takes the mark off',
	hold_late:
		'look at the log: the sweep of the holds cannot read or write; whoever needs the place gets it all the same; ' +
		'while the store is closed for an export, no sweep writes',
	wrong_idempotency: 'audit --repair frees a key that has no record; any other is harmless once it is 24 h old',
	event_forgotten: 'audit --repair marks it for the next sweep',
	event_late:
		'look at `status` and the log: notifications or customer cannot be reached, or refuse the event; ' +
		'while the store is closed for an export, events wait',
};

export function finding(kind: FindingKind, occurrence: string, booking_ids: number[], detail: string): Finding {
	return { kind, place: occurrence, booking_ids, detail, advice: ADVICE[kind], repaired: null };
}

/** The findings of a first look that a second one, a moment later, has too: the first may have met a change half way. */
export function inBoth(first: Finding[], second: Finding[]): Finding[] {
	const keyOf = ({ kind, place, booking_ids }: Finding) => `${kind} ${place} ${booking_ids}`;
	const seen = new Set(first.map(keyOf));
	return second.filter((one) => seen.has(keyOf(one)));
}

/** ms after which what was under way has ended, and clocks of several machines agree about it */
export const GRACE_PERIOD = 60_000;

export interface Fault {
	kind: FindingKind;
	detail: string;
}

/**
 * What must hold of a booking, no matter what else is in the store.
 * @param now ms
 * @param seen ms for which this process has seen its events wait, no matter what the clock of their process said
 */
export function faultsOf(booking: BookingDocument, serviceClosed: boolean, now: number, seen: number): Fault[] {
	return [
		...faultsOfKeys(booking, serviceClosed, now),
		...faultsOfList(booking),
		...faultsOfHold(booking, now),
		...faultsOfIdempotency(booking),
		...faultsOfOutbox(booking, now, seen),
	];
}

/** Whether it has a seat of its own slot and date. */
export function hasOwnSeat({ time_slot_id, date, place, seat }: Seated): boolean {
	return isSeat(seat) && place === occurrenceName(time_slot_id, date);
}

type Seated = Pick<BookingDocument, 'time_slot_id' | 'date' | 'place' | 'seat'>;

function faultsOfKeys(booking: BookingDocument, serviceClosed: boolean, now: number): Fault[] {
	if (isActive(booking)) {
		const right = heldFields(booking, booking.seat, customerKey(booking));
		const names = [
			...differences(booking, right, ['place', 'counted_under']),
			...(isSeat(booking.seat) ? [] : ['seat']),
			...(isBeingErased(booking, now) ? [] : differences(booking, right, ['customer_key'])),
		].join(', ');
		return names === '' ? [] : [{ kind: 'wrong_keys', detail: `not of its slot, date and customer: ${names}` }];
	}
	const keysMayStay = booking.deleted_at !== null && serviceClosed; // a closing leaves them: its slots are gone for ever
	const placeMayStay =
		keysMayStay && booking.status !== 'cancelled' && booking.relay_at > 0 && booking.counted_under > 0;
	const right = placeMayStay ? heldFields(booking, booking.seat, null) : releasedFields(booking._id);
	const names = [
		...differences(booking, right, ['place', 'counted_under']),
		...(keysMayStay ? [] : differences(booking, releasedFields(booking._id), ['seat', 'customer_key'])),
	].join(', ');
	const state = booking.deleted_at === null ? 'cancelled' : 'deleted';
	return names === '' ? [] : [{ kind: 'holds_after_end', detail: `${state}, and still holds: ${names}` }];
}

/** An erasure leaves the customer's place taken until the feed says that it was. @param now ms */
function isBeingErased(booking: BookingDocument, now: number): boolean {
	return customerKey(booking) === null && now - Date.parse(booking.updated_at) <= GRACE_PERIOD;
}

/** Which of these fields are not as they should be. */
function differences<T extends object>(booking: T, right: Partial<T>, fields: (keyof T & string)[]): string[] {
	return fields.filter((field) => booking[field] !== right[field]);
}

function faultsOfList({ deleted_at, listed_under, service_id }: BookingDocument): Fault[] {
	if (listed_under === (deleted_at === null ? service_id : 0)) return [];
	const detail = deleted_at === null ? 'not in its service’s list' : 'deleted, and still listed';
	return [{ kind: 'wrong_list', detail }];
}

function faultsOfHold(booking: BookingDocument, now: number): Fault[] {
	const right = heldUntil(booking);
	if ((booking.held_until ?? 0) !== right) {
		const detail = right === 0 ? 'marked as held, and is not' : 'held, and no sweep looks for its end';
		return [{ kind: 'wrong_hold', detail }];
	}
	if (!isExpired(booking, now - GRACE_PERIOD)) return [];
	return [{ kind: 'hold_late', detail: `its hold ended ${Math.round((now - right) / 1000)} s ago` }];
}

function faultsOfIdempotency({ _id, account_id, idempotency_key, idempotency }: BookingDocument): Fault[] {
	const fault = (detail: string): Fault[] => [{ kind: 'wrong_idempotency', detail }];
	const hasKey = idempotency_key !== NO_KEY;
	if (hasKey !== (idempotency !== null)) return fault(hasKey ? 'a key without a record' : 'a record without its key');
	if (!hasKey || idempotency === null) return [];
	if (!idempotency_key.startsWith(idempotencyKeyOf(account_id, ''))) return fault('a key of another account');
	const { fingerprint, at, answer } = idempotency;
	const whole = typeof fingerprint === 'string' && Number.isFinite(at) && answer?.id === _id;
	return whole ? [] : fault('a record that is not of this booking');
}

function faultsOfOutbox({ outbox, relay_at }: BookingDocument, now: number, seen: number): Fault[] {
	if (relay_at <= 0 && outbox.length > 0) {
		return [{ kind: 'event_forgotten', detail: 'events in its outbox that no sweep looks for' }];
	}
	const age = Math.max(now - relay_at, seen);
	if (relay_at <= 0 || age <= GRACE_PERIOD) return [];
	return [{ kind: 'event_late', detail: `events in its outbox for ${Math.round(age / 1000)} s` }];
}

function isSeat(seat: number): boolean {
	return Number.isSafeInteger(seat) && seat >= 0;
}
