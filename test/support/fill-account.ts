import { filledBooking } from '../../bench/fill.ts';
import { bookingModel, type PromisedBooking, toBooking } from '../../services/booking/document/booking.model.ts';
import { idempotencyKeyOf } from '../../services/booking/document/keys.ts';
import { customerModel, toDocument as toEntry } from '../../services/customer/customer-store.ts';
import { eventModel, toDocument as toEvent } from '../../services/notifications/log/event-store.ts';
import type { TimeSlot } from '../../shared/contract/schemas/time-slot.ts';
import { timestamp } from '../../shared/engine/clock.ts';
import { Counter, counterModel } from '../../shared/store/counter.ts';
import type { Store } from '../../shared/store/store.ts';

export interface Filling {
	account_id: string;
	/** Slots on Mondays of one service, with room for `perPlace` bookings */
	slots: readonly TimeSlot[];
	timezone: string;
	perPlace: number;
	count: number;
}

/** Bookings of one write */
const BATCH = 500;
/** Of so many bookings one was made under an Idempotency-Key that is still kept */
const KEYED = 20;

/**
 * Fills a store that nobody serves with bookings of an account, as the product would have left them a moment ago: each with its seat,
 * its entry of the directory and its event in the log, some with a first answer that is kept. Creations would take hours.
 * @param now ms
 */
export async function fillAccount({ connection }: Store, filling: Filling, now: number): Promise<void> {
	const events = eventModel(connection);
	for (const model of [bookingModel, customerModel]) model(connection);
	// Past mongoose, which would look at each field.
	const write = (name: string, documents: readonly object[]) =>
		connection.collection<{ _id: number }>(name).insertMany(documents as { _id: number }[]);
	const ids = new Counter(counterModel(connection, 'booking_counters'), 'bookings');
	const first = await ids.nextIds(filling.count);
	const newest = await events.findOne({ account_id: filling.account_id }).sort({ sequence: -1 }).lean();
	const behind = newest?.sequence ?? 0;
	for (let done = 0; done < filling.count; done += BATCH) {
		const size = Math.min(BATCH, filling.count - done);
		const batch = Array.from({ length: size }, (_, index) => madeBooking(filling, done + index, first, now));
		const entries = batch.map(({ _id: booking_id, ...rest }) => toEntry({ booking_id, ...rest }, now));
		const told = batch.map((document, index) => {
			const { account_id, created_at } = document;
			const event = { id: `evt_${document._id}_1`, type: 'booking.created' as const, timestamp: created_at };
			const whole = { ...event, data: toBooking(document), previous: {}, account_id };
			return toEvent(whole, behind + done + index + 1, created_at);
		});
		await Promise.all([write('bookings', batch), write('customers', entries), write('events', told)]);
	}
}

function madeBooking(filling: Filling, n: number, first: number, now: number): PromisedBooking {
	const made = filledBooking({ ...filling, service_id: filling.slots[0]!.service_id, fromWeek: 26 }, n, first + n);
	const at = timestamp(now);
	const customer = { ...made.customer, created_at: at, updated_at: at };
	const document = { ...made, created_at: at, updated_at: at, customer };
	if (n % KEYED > 0) return document;
	const idempotency = { fingerprint: `fill${n}`, at: now, answer: toBooking(document) };
	return { ...document, idempotency_key: idempotencyKeyOf(filling.account_id, `fill${n}`), idempotency };
}
