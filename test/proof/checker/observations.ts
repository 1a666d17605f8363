import type { Booking, BookingList, Customer } from '../../../shared/contract/schemas/booking.ts';
import type { BookingEventList } from '../../../shared/contract/schemas/event.ts';
import { type History, isKind, type Operation } from '../history.ts';

/** Somebody saw a booking in a version, at a moment from `from` to `to`. */
export interface Observation {
	booking: number;
	version: number;
	/** Whole, or only its customer */
	data: Booking | undefined;
	customer: Customer | undefined;
	from: number;
	to: number;
	/** Undefined for the final state */
	operation: Operation | undefined;
	/** It shows that the version was there, not that no later one was: the first answer of a key, an event. */
	old: boolean;
}

/** Everything that the answers and the final state show of bookings. */
export function observationsOf({ operations, final }: History): Observation[] {
	const seen = operations.flatMap((operation) => (operation.outcome === 'ok' ? seenBy(operation) : []));
	const last = final.bookings.map((data) => ({
		...whole(data),
		from: final.time,
		to: final.until,
		operation: undefined,
		old: false,
	}));
	return [...seen, ...last];
}

function seenBy(operation: Operation): Observation[] {
	const { answered, from, to } = operation;
	const common = { from, to, operation, old: false };
	const data = answered!.data;
	if (isKind(operation, 'create')) {
		return [{ ...whole(data as Booking), ...common, old: answered!.replayed === true }];
	}
	if (isKind(operation, 'update') || isKind(operation, 'get')) return [{ ...whole(data as Booking), ...common }];
	if (isKind(operation, 'update customer')) {
		const { booking_id: booking } = operation.asked;
		return [{ booking, version: answered!.version!, data: undefined, customer: data as Customer, ...common }];
	}
	if (isKind(operation, 'list')) return (data as BookingList).bookings.map((row) => ({ ...whole(row), ...common }));
	if (isKind(operation, 'events')) {
		return (data as BookingEventList).events.map((event) => ({ ...whole(event.data), ...common, old: true }));
	}
	return [];
}

function whole(data: Booking) {
	return { booking: data.id, version: data.version, data, customer: data.customer };
}
