import type { Scoped, VersionedCustomer } from '../../shared/contract/actions.ts';
import { ApiError } from '../../shared/contract/errors.ts';
import type { Booking } from '../../shared/contract/schemas/booking.ts';
import type { BookingEngine } from './booking-engine.ts';
import type { SlotSource } from './catalog-source.ts';
import type { Subject } from './changes/planned-change.ts';
import { toBooking } from './document/booking.model.ts';
import type { BookingStore } from './document/booking-store.ts';

type Request = Scoped & { booking_id: number };

export async function getBooking({ store, slots }: BookingEngine, request: Request): Promise<Booking> {
	const { booking, slot } = await findSubject(store, slots, request);
	return toBooking(booking, slot);
}

export async function getCustomer({ store, slots }: BookingEngine, request: Request): Promise<VersionedCustomer> {
	const { booking } = await findSubject(store, slots, request);
	return { customer: booking.customer, version: booking.version };
}

/** @throws booking_not_found, also while the booking's service is being deleted */
export async function findSubject(store: BookingStore, slots: SlotSource, key: Request): Promise<Subject> {
	const booking = await store.find(key.account_id, key.booking_id);
	if (booking === null) throw new ApiError('booking_not_found');
	const slot = await slots.ask({ account_id: key.account_id, time_slot_id: booking.time_slot_id });
	if (slot === null) throw new ApiError('booking_not_found');
	return { booking, slot };
}
