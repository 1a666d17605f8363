import { isDeepStrictEqual } from 'node:util';
import type { Booking, Customer } from '../../../shared/contract/schemas/booking.ts';
import type { EventType, Previous } from '../../../shared/contract/schemas/event.ts';
import { isKind, type Operation, type OperationOf } from '../history.ts';

/** What a version of a booking says, apart from when it was made and from what it was promised of its slot. */
type Content = Pick<Booking, 'time_slot_id' | 'status' | 'date' | 'message'> & {
	cancel_reason: string | null;
	name: string | null;
	email: string | null;
	phone: string | null;
	/** It has `expires_at` */
	held: boolean;
};

export function contentOf(booking: Booking): Content {
	const { time_slot_id, status, date, message, customer } = booking;
	const { name, email, phone } = customer;
	return {
		time_slot_id,
		status,
		date,
		message,
		cancel_reason: booking.cancel_reason ?? null,
		name,
		email,
		phone,
		held: booking.expires_at !== null,
	};
}

/** What creations must have in common to be taken for one another: a text, so that they can be grouped. */
export function creationKey(content: Content): string {
	return JSON.stringify(Object.values(content));
}

export function creationKeyOf({ asked: { body } }: OperationOf<'create'>): string {
	return JSON.stringify([
		body.time_slot_id,
		'pending',
		body.date,
		body.message ?? null,
		null,
		body.customer_name ?? null,
		body.customer_email ?? null,
		body.customer_phone ?? null,
		body.hold_minutes != null,
	]);
}

/**
 * Whether this operation would make `after` of `before`. `deleted`: the version is the booking's end.
 * An operation that would change nothing explains nothing.
 */
export function explainsChange(operation: Operation, before: Booking, after: Booking, deleted: boolean): boolean {
	const [then, now] = [contentOf(before), contentOf(after)];
	if (deleted) {
		if (!isDeepStrictEqual(then, now)) return false;
		if (isKind(operation, 'delete service')) return operation.asked.service_id === before.service_id;
		return isKind(operation, 'delete');
	}
	const expected = isKind(operation, 'update')
		? updated(then, operation)
		: isKind(operation, 'update customer')
			? customerUpdated(then, operation)
			: undefined;
	return expected !== undefined && !isDeepStrictEqual(expected, then) && isDeepStrictEqual(expected, now);
}

function updated(before: Content, { asked: { body } }: OperationOf<'update'>): Content {
	const status = body.status ?? before.status;
	return {
		...before,
		status,
		time_slot_id: body.time_slot_id ?? before.time_slot_id,
		date: body.date ?? before.date,
		message: body.message === undefined ? before.message : body.message,
		cancel_reason: status === 'cancelled' ? (body.cancel_reason ?? before.cancel_reason) : null,
		held: before.held && status === before.status && status !== 'confirmed', // the workload sets no hold anew
	};
}

/** Whether `after` is the end of a hold: it has no request, but a moment before which it does not come (contract §4). */
export function isExpiry(before: Booking, after: Booking): boolean {
	const { status, expires_at } = before;
	if (status !== 'pending' || expires_at === null || after.expires_at !== expires_at) return false;
	const expected = { ...contentOf(before), status: 'cancelled', cancel_reason: 'expired' };
	const isEarly = Date.parse(after.updated_at) < Date.parse(expires_at); // of the model, which has no clock, never
	return !isEarly && isDeepStrictEqual(contentOf(after), expected);
}

function customerUpdated(before: Content, { asked: { body } }: OperationOf<'update customer'>): Content {
	const field = (name: keyof Pick<Customer, 'name' | 'email' | 'phone'>) =>
		body[name] === undefined ? before[name] : body[name];
	return { ...before, name: field('name'), email: field('email'), phone: field('phone') };
}

/** What the event of a change says of the version before it (contract §8). */
export function expectedPrevious(before: Booking, after: Booking): Previous {
	const [then, now] = [new Map(Object.entries(before)), new Map(Object.entries(after))];
	const names = new Set([...then.keys(), ...now.keys()]).difference(new Set(['version', 'updated_at']));
	const text = (value: unknown) => JSON.stringify(value);
	const changed = [...names].filter((name) => text(then.get(name)) !== text(now.get(name)));
	return Object.fromEntries(changed.map((name) => [name, then.get(name) ?? null]));
}

/** The type of the event of a change (contract §8). `before` is undefined for the first version. */
export function expectedType(before: Booking | undefined, after: Booking, deleted: boolean): EventType {
	if (before === undefined) return 'booking.created';
	if (deleted) return 'booking.deleted';
	if (before.status === after.status || after.status === 'pending') return 'booking.updated';
	return after.status === 'cancelled' ? 'booking.cancelled' : 'booking.confirmed';
}
