import type { FindingKind } from '../../../shared/contract/reports.ts';
import { customerKey } from '../changes/planned-change.ts';
import { type BookingDocument, filler } from '../document/booking.model.ts';
import { placeOf, seatKeyOf, seatOf } from '../document/capacity.ts';
import { idempotencyKeyOf } from '../document/idempotency.ts';

/** ms after which what was under way has ended, and clocks of several machines agree about it */
export const SETTLED_AFTER = 60_000;

export interface Fault {
	kind: FindingKind;
	detail: string;
}

/**
 * What must hold of a booking whatever else is in the store.
 * @param now ms
 * @param seen ms for which this process has seen its events wait, whatever the clock of theirs said
 */
export function faultsOf(booking: BookingDocument, serviceClosed: boolean, now: number, seen: number): Fault[] {
	return [
		...faultsOfKeys(booking, serviceClosed),
		...faultsOfList(booking),
		...faultsOfIdempotency(booking),
		...faultsOfOutbox(booking, now, seen),
	];
}

/** Whether it holds a place: it is neither cancelled nor deleted. */
export function isActive({ status, deleted_at }: Pick<BookingDocument, 'status' | 'deleted_at'>): boolean {
	return status !== 'cancelled' && deleted_at === null;
}

/** Whether `seat_key` is a seat of the booking's own slot and date. */
export function hasOwnSeat({ time_slot_id, date, seat_key }: Seated): boolean {
	const seat = seatOf(seat_key);
	return Number.isSafeInteger(seat) && seat >= 0 && seat_key === seatKeyOf(placeOf(time_slot_id, date), seat);
}

type Seated = Pick<BookingDocument, 'time_slot_id' | 'date' | 'seat_key'>;

function faultsOfKeys(booking: BookingDocument, serviceClosed: boolean): Fault[] {
	const free = filler(booking._id);
	const wrong = (names: (string | false)[]) => names.filter((name) => name !== false).join(', ');
	if (isActive(booking)) {
		const names = wrong([
			booking.place !== placeOf(booking.time_slot_id, booking.date) && 'place',
			booking.counted_under !== booking.service_id && 'counted_under',
			!hasOwnSeat(booking) && 'seat_key',
			booking.customer_key !== customerKey(booking) && 'customer_key',
		]);
		return names === '' ? [] : [{ kind: 'wrong_keys', detail: `not of its slot, date and customer: ${names}` }];
	}
	const keysMayStay = booking.deleted_at !== null && serviceClosed; // a closing leaves them: its slots are gone for ever
	const names = wrong([
		booking.place !== '' && 'place',
		booking.counted_under !== 0 && 'counted_under',
		!keysMayStay && booking.seat_key !== free && 'seat_key',
		!keysMayStay && booking.customer_key !== free && 'customer_key',
	]);
	const state = booking.deleted_at === null ? 'cancelled' : 'deleted';
	return names === '' ? [] : [{ kind: 'holds_after_end', detail: `${state}, and still holds: ${names}` }];
}

function faultsOfList({ deleted_at, listed_under, service_id }: BookingDocument): Fault[] {
	if (listed_under === (deleted_at === null ? service_id : 0)) return [];
	const detail = deleted_at === null ? 'not in its service’s list' : 'deleted, and still listed';
	return [{ kind: 'wrong_list', detail }];
}

function faultsOfIdempotency({ _id, account_id, idempotency_key, idempotency }: BookingDocument): Fault[] {
	const fault = (detail: string): Fault[] => [{ kind: 'wrong_idempotency', detail }];
	const hasKey = idempotency_key !== filler(_id);
	if (hasKey !== (idempotency !== null)) return fault(hasKey ? 'a key without a record' : 'a record without its key');
	if (!hasKey || idempotency === null) return [];
	if (!idempotency_key.startsWith(idempotencyKeyOf(account_id, ''))) return fault('a key of another account');
	const { fingerprint, at, answer } = idempotency;
	const whole = typeof fingerprint === 'string' && Number.isFinite(at) && answer?.id === _id;
	return whole ? [] : fault('a record that is not of this booking');
}

function faultsOfOutbox({ outbox, relay_at }: BookingDocument, now: number, seen: number): Fault[] {
	if (relay_at === 0 && outbox.length > 0) {
		return [{ kind: 'event_forgotten', detail: 'events in its outbox that no sweep looks for' }];
	}
	const age = Math.max(now - relay_at, seen);
	if (relay_at === 0 || age <= SETTLED_AFTER) return [];
	return [{ kind: 'event_late', detail: `events in its outbox for ${Math.round(age / 1000)} s` }];
}
