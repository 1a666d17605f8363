import { type AccountKey, accountKey } from '../../../shared/contract/account-key.ts';
import { randomIndex } from '../../../shared/engine/ids.ts';

/** An account's time slot on one date: what capacity and its lock are about. */
export interface Occurrence {
	account_id: string;
	time_slot_id: number;
	/** `YYYY-MM-DD` */
	date: string;
}

/** A booking that holds a place of one slot and date. */
export interface Occupant {
	id: number;
	/** 0 or more; it may lie at or above a maximum that was lowered since */
	seat: number;
	/** `customer_key` of the booking */
	customerKey: string;
}

/** One slot on one date. */
export function placeOf(timeSlotId: number, date: string): string {
	return `${timeSlotId}:${date}`;
}

/** The same as a key of queues and locks, which are an account's; those of the store refuse a seat whoever asks for it. */
export function occurrenceKey({ account_id, time_slot_id, date }: Occurrence): AccountKey {
	return accountKey({ account_id }, placeOf(time_slot_id, date));
}

export function seatKeyOf(place: string, seat: number): string {
	return `${place}:${seat}`;
}

/** One customer on one slot and date; null where no duplicate can be told. */
export function customerKeyOf(place: string, identity: string | null): string | null {
	return identity === null ? null : `${place}:${identity}`;
}

export function seatOf(seatKey: string): number {
	return Number(seatKey.slice(seatKey.lastIndexOf(':') + 1));
}

/**
 * How many more bookings a slot takes on a date: the one rule that creation and availability answer from.
 * @param max the slot's `max_bookings`, 0 to 10,000
 * @param active bookings that hold a place, those above a lowered maximum included
 */
export function room(max: number, active: number): number {
	return Math.max(0, max - active);
}

/**
 * The seats that may be taken now: of the free seats below `max` only the FIRST `max - active`.
 *
 * Any free seat would overbook after a maximum was lowered: from 5 to 3 with seats 3 and 4 taken, one place is left,
 * but the seats 0, 1 and 2 are free, and three bookings at once could each take one. With the first free seat only,
 * they contend for seat 0, and its unique key lets one through.
 * @returns ascending; empty where the slot is full
 */
export function openSeats(max: number, occupants: readonly Occupant[]): number[] {
	const taken = new Set(occupants.map((occupant) => occupant.seat));
	const seats: number[] = [];
	const count = room(max, occupants.length);
	for (let seat = 0; seats.length < count && seat < max; seat++) if (!taken.has(seat)) seats.push(seat);
	return seats;
}

/** Takes one of `seats` out, at random: contenders without the lock then rarely meet on the same one. */
export function drawSeat(seats: number[]): number | undefined {
	if (seats.length === 0) return undefined;
	const index = randomIndex(seats.length);
	const [seat] = seats.splice(index, 1);
	return seat;
}
