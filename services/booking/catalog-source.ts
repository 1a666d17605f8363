import type { ServiceBroker } from 'moleculer';
import { call } from '../../shared/bus/call.ts';
import { type DateRefusal, dateRefusal } from '../../shared/calendar/bookable.ts';
import { dayOfWeek, weekdayName } from '../../shared/calendar/plain-date.ts';
import type { Scoped, ServiceKey, SlotKey } from '../../shared/contract/actions.ts';
import { ApiError } from '../../shared/contract/errors.ts';
import type { TimeSlot } from '../../shared/contract/schemas/time-slot.ts';
import { Gatherer } from '../../shared/engine/gatherer.ts';
import type { BookingDocument } from './document/booking.model.ts';
import type { BookingStore } from './document/booking-store.ts';

/** Time slots from catalog as they are now; what is asked for at the same moment shares a call. Null: there is none. */
export type SlotSource = Gatherer<SlotKey, TimeSlot | null>;

/** Whether a service is there now, from catalog; what is asked for at the same moment shares a call. */
export type ServiceSource = Gatherer<ServiceKey, boolean>;

export function slotSource(broker: ServiceBroker): SlotSource {
	return new Gatherer(async (slots) => {
		const found = await call(broker, 'catalog.slots', { slots });
		return found.map((now) => now?.slot ?? null);
	});
}

export function serviceSource(broker: ServiceBroker): ServiceSource {
	return new Gatherer((services) => call(broker, 'catalog.areServices', { services }));
}

/** As both are now. */
export interface BookingWithSlot {
	booking: BookingDocument;
	slot: TimeSlot;
}

/** @throws booking_not_found, also while the booking's service is being deleted */
export async function findBookingWithSlot(
	store: BookingStore,
	slots: SlotSource,
	{ account_id, booking_id }: Scoped & { booking_id: number },
): Promise<BookingWithSlot> {
	const booking = await store.find(account_id, booking_id);
	if (booking === null) throw new ApiError('booking_not_found');
	const slot = await slots.ask({ account_id, time_slot_id: booking.time_slot_id });
	if (slot === null) throw new ApiError('booking_not_found');
	return { booking, slot };
}

/** @throws invalid_request where the date is not on the slot's day of the week, or the slot is not valid then */
export function assertFallsOn(slot: TimeSlot, date: string): void {
	const refusal = dateRefusal(slot, date);
	if (refusal === null) return;
	const day = weekdayName(dayOfWeek(date));
	const texts: Record<DateRefusal, string> = {
		wrong_weekday: `${date} is a ${day}, time slot ${slot.id} is on ${weekdayName(slot.day_of_week)}s`,
		not_yet_valid: `time slot ${slot.id} is valid from ${slot.valid_from}`,
		no_longer_valid: `time slot ${slot.id} is valid until ${slot.valid_until}`,
	};
	const code = refusal === 'wrong_weekday' ? refusal : 'outside_validity';
	throw ApiError.naming('invalid_request', [{ field: 'date', code, message: texts[refusal] }]);
}
