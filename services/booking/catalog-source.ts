import type { ServiceBroker } from 'moleculer';
import { call } from '../../shared/bus/call.ts';
import { type DateRefusal, dateRefusal } from '../../shared/calendar/bookable.ts';
import { dayOfWeek, weekdayName } from '../../shared/calendar/plain-date.ts';
import type { ServiceKey, SlotKey, SlotNow } from '../../shared/contract/actions.ts';
import { ApiError } from '../../shared/contract/errors.ts';
import type { TimeSlot } from '../../shared/contract/schemas/time-slot.ts';
import { Gatherer } from '../../shared/engine/gatherer.ts';

/** Time slots from catalog as they are now; what is asked for at the same moment shares a call. Null: there is none. */
export type SlotSource = Gatherer<SlotKey, SlotNow | null>;

/** Whether a service is there now, from catalog; what is asked for at the same moment shares a call. */
export type ServiceSource = Gatherer<ServiceKey, boolean>;

export function slotSource(broker: ServiceBroker): SlotSource {
	return new Gatherer((slots) => call(broker, 'catalog.slots', { slots }));
}

export function serviceSource(broker: ServiceBroker): ServiceSource {
	return new Gatherer((services) => call(broker, 'catalog.areServices', { services }));
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
