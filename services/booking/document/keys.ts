import { createHash } from 'node:crypto';
import { type AccountKey, accountKey } from '../../../shared/contract/actions/common.ts';
import { normalisedEmail } from '../../../shared/contract/person.ts';

/** An account's time slot on one date: what capacity, queue and lock are about. */
export interface Occurrence {
	account_id: string;
	time_slot_id: number;
	/** `YYYY-MM-DD` */
	date: string;
}

/** A booking that holds a seat of an occurrence. */
export interface Occupant {
	id: number;
	/** 0 or more; it may lie at or above a maximum that was lowered since */
	seat: number;
	/** `customer_key` of the booking */
	customerKey: string;
	/** ms at which its hold ends; 0 where it has none */
	heldUntil: number;
}

/** The key of an occurrence's queue and lock. It names the account, so that no account waits for another one (ADR 22). */
export function occurrenceKey({ account_id, time_slot_id, date }: Occurrence): AccountKey {
	return accountKey({ account_id }, occurrenceName(time_slot_id, date));
}

/**
 * An occurrence's name in the store, in the field `place`. Slot ids are unique over all accounts. Without the account: were
 * accounts confused, the index `seats` would still refuse a seat twice.
 */
export function occurrenceName(timeSlotId: number, date: string): string {
	return `${timeSlotId}:${date}`;
}

/** A seat of an occurrence: `<slot>:<date>#<seat>` */
export function seatKey(occurrence: string, seat: number): string {
	return `${occurrence}#${seat}`;
}

/** What is known of occurrences by their names, by date, then slot: a name for each look-up of thousands is dear. */
export function byDate<T>(named: ReadonlyMap<string, T>): Map<string, Map<number, T>> {
	const dates = new Map<string, Map<number, T>>();
	for (const [name, value] of named) {
		const colon = name.indexOf(':');
		const date = name.slice(colon + 1);
		const slots = dates.get(date) ?? new Map<number, T>();
		dates.set(date, slots.set(Number(name.slice(0, colon)), value));
	}
	return dates;
}

/**
 * One customer of an occurrence. The same customer (contract §4) has the same e-mail address, whatever its case, or, where
 * there is none, the same phone number. A hash, because unique keys end up in error texts and logs.
 * @returns `<slot>:<date>:<kind>:<hash>`, or null where no duplicate can be told
 */
export function customerKey({
	time_slot_id,
	date,
	customer: { email, phone },
}: Omit<Occurrence, 'account_id'> & { customer: { email: string | null; phone: string | null } }): string | null {
	const occurrence = occurrenceName(time_slot_id, date);
	if (email !== null) return `${occurrence}:e:${digest(normalisedEmail(email))}`;
	return phone === null ? null : `${occurrence}:p:${digest(phone)}`;
}

export function idempotencyKeyOf(account_id: string, key: string): string {
	return `${account_id}:booking.create:${key}`;
}

/** Fills a unique key that this booking does not use, so that the unique indexes are plain ones. */
export function filler(id: number): string {
	return `free:${id}`;
}

function digest(text: string): string {
	return createHash('sha256').update(text).digest('base64url').slice(0, 32);
}
