import { bookingModel, NO_KEY, type PromisedBooking } from '../services/booking/document/booking.model.ts';
import { customerKey } from '../services/booking/document/keys.ts';
import { promisedFields } from '../services/booking/document/promised.ts';
import { addDays } from '../shared/calendar/plain-date.ts';
import type { TimeSlot } from '../shared/contract/schemas/time-slot.ts';
import { Counter, counterModel } from '../shared/store/counter.ts';
import type { Store } from '../shared/store/store.ts';

export interface FillPlan {
	account_id: string;
	service_id: number;
	/** Slots on Mondays, with room for `perPlace` bookings */
	slots: readonly TimeSlot[];
	timezone: string;
	perPlace: number;
	/** Weeks from FIRST_MONDAY to the first booking */
	fromWeek: number;
	count: number;
}

export const FIRST_MONDAY = '2027-01-04';
const AT = '2026-11-01T08:00:00.000Z';
/** Of one insert. One of the embedded store's is a transaction of at most this many */
const BATCH = 500;

/**
 * Writes bookings as the product would have left them: delivered, each on a seat of its own.
 * @returns the id of the first one; the others follow it
 */
export async function fill(store: Store, plan: FillPlan): Promise<number> {
	const bookings = bookingModel(store.connection);
	const ids = new Counter(counterModel(store.connection, 'booking_counters'), 'bookings');
	const first = await ids.nextIds(plan.count);
	for (let done = 0; done < plan.count; done += BATCH) {
		const size = Math.min(BATCH, plan.count - done);
		const batch = Array.from({ length: size }, (_, index) => filledBooking(plan, done + index, first + done + index));
		await bookings.insertMany(batch, { lean: true, ordered: false });
	}
	return first;
}

/** Weeks of which a fill uses something. */
export function weeksFilled({ count, slots, perPlace }: Pick<FillPlan, 'count' | 'slots' | 'perPlace'>): number {
	return Math.ceil(count / slots.length / perPlace);
}

/** Slots on Mondays, for a store without a product. */
export function mondaySlots(count: number): TimeSlot[] {
	return Array.from({ length: count }, (_, index) => ({
		id: index + 1,
		service_id: 1,
		day_of_week: 1,
		start_time: '2026-01-05 09:00:00',
		end_time: '2026-01-05 10:00:00',
		max_bookings: 100,
		valid_from: null,
		valid_until: null,
		created_at: AT,
		updated_at: AT,
	}));
}

export function filledBooking(
	{ account_id, service_id, slots, timezone, perPlace, fromWeek }: Omit<FillPlan, 'count'>,
	n: number,
	id: number,
): PromisedBooking {
	const seat = n % perPlace;
	const slot = slots[Math.floor(n / perPlace) % slots.length]!;
	const time_slot_id = slot.id;
	const date = addDays(FIRST_MONDAY, 7 * (fromWeek + Math.floor(n / perPlace / slots.length)));
	const place = `${time_slot_id}:${date}`;
	const email = `customer${id}@example.com`;
	return {
		_id: id,
		account_id,
		service_id,
		listed_under: service_id,
		counted_under: service_id,
		time_slot_id,
		date,
		...promisedFields({ slot, timezone }, date),
		status: 'pending',
		cancel_reason: null,
		message: null,
		place,
		seat,
		customer_key: customerKey({ time_slot_id, date, customer: { email, phone: null } })!,
		idempotency_key: NO_KEY,
		idempotency: null,
		customer: { id, name: `Customer ${n}`, email, phone: null, created_at: AT, updated_at: AT },
		email_key: email,
		outbox: [],
		relay_at: 0,
		version: 1,
		write_id: `fill${id}`,
		created_at: AT,
		updated_at: AT,
		deleted_at: null,
	};
}
