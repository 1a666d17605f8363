import { isDeepStrictEqual } from 'node:util';
import { type Person, tellsOf } from './person.ts';
import type { Booking, Customer } from './schemas/booking.ts';
import type { Previous } from './schemas/event.ts';

/** What stands for a text that is required, such as the reason of a cancelled booking */
const ERASED = 'erased';
const NOBODY = { name: null, email: null, phone: null };

/** Fields of a booking that may tell of its customer; each is as it would be had nobody said anything. */
type Telling = Pick<Booking, 'message' | 'metadata'> & { cancel_reason?: string | null; customer: Customer };

/** A booking without anything that may tell of a person; the order of its fields stays. */
export function erasedBooking<T extends Telling>(booking: T): T {
	return { ...booking, ...erasedPrevious(booking), customer: { ...booking.customer, ...NOBODY } };
}

/** The same of fields of a booking: those that are there. */
export function erasedPrevious<T extends Partial<Telling>>(previous: T): T {
	const { message, metadata, cancel_reason, customer } = previous;
	return {
		...previous,
		...(message !== undefined && { message: null }),
		...(metadata !== undefined && { metadata: {} }),
		...(cancel_reason !== undefined && { cancel_reason: cancel_reason === null ? null : ERASED }),
		...(customer !== undefined && { customer: { ...customer, ...NOBODY } }),
	};
}

/** An event as it is after its booking's persons are erased; the very same where it told nothing. */
export function erasedEvent<T extends { data: Booking; previous?: Previous }>(event: T): T {
	const { data, previous } = event;
	return {
		...event,
		data: erasedBooking(data),
		...(previous !== undefined && { previous: erasedPrevious(previous) }),
	};
}

/** What an event, or an entry of an outbox, tells: a creation's may leave `data` to its booking. */
interface Told {
	data?: Booking;
	previous?: Previous;
}

/**
 * What changes in an event of a booking that was a person's at some time, where the person is erased; nothing where it does not tell
 * of the person. What it tells of somebody else stays, so two persons may be erased at once.
 */
export function erasedParts({ data, previous }: Told, person: Person): Told {
	const parts: Told = {};
	const now = data?.customer;
	const before = previous?.customer ?? now; // a change that names no customer before it left the customer as it was
	if (data !== undefined && tellsOf(person, data.customer)) parts.data = erasedBooking(data);
	if (previous !== undefined && before !== undefined && tellsOf(person, before))
		parts.previous = erasedPrevious(previous);
	if (isDeepStrictEqual(parts.data, data)) delete parts.data;
	if (isDeepStrictEqual(parts.previous, previous)) delete parts.previous;
	return parts;
}
