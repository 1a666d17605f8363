import type { ServiceBroker } from 'moleculer';
import { call } from '../../shared/bus/call.ts';
import { dateRefusal } from '../../shared/calendar/bookable.ts';
import { dayOfWeek, weekdayName } from '../../shared/calendar/plain-date.ts';
import type { OccurrenceKey, ServiceKey, SlotNow } from '../../shared/contract/actions.ts';
import { ApiError, type FaultCode } from '../../shared/contract/errors.ts';
import { NO_RULES } from '../../shared/contract/schemas/rules.ts';
import { Gatherer } from '../../shared/engine/gatherer.ts';

/** Time slots from catalog as they are now; what is asked for at the same moment shares a call. Null: there is none. */
export type SlotSource = Gatherer<OccurrenceKey, SlotNow | null>;

/** Whether a service is there now, from catalog; what is asked for at the same moment shares a call. */
export type ServiceSource = Gatherer<ServiceKey, boolean>;

export function slotSource(broker: ServiceBroker): SlotSource {
	return new Gatherer((slots) => call(broker, 'catalog.slots', { slots }));
}

export function serviceSource(broker: ServiceBroker): ServiceSource {
	return new Gatherer((services) => call(broker, 'catalog.areServices', { services }));
}

interface Wish {
	date: string;
	/** Whether the rules of the service are set aside */
	ignoresRules: boolean;
}

/**
 * @param now ms
 * @throws invalid_request where the slot is not on this date, or not valid then; notice, horizon
 */
export function assertBookable({ slot, timezone, rules }: SlotNow, { date, ignoresRules }: Wish, now: number): void {
	const refusal = dateRefusal({ slot, timezone, rules: ignoresRules ? NO_RULES : rules }, date, now);
	switch (refusal) {
		case null:
			return;
		case 'wrong_weekday': {
			const days = `${weekdayName(dayOfWeek(date))}, time slot ${slot.id} is on ${weekdayName(slot.day_of_week)}s`;
			throw refused('wrong_weekday', `${date} is a ${days}`);
		}
		case 'not_yet_valid':
			throw refused('outside_validity', `time slot ${slot.id} is valid from ${slot.valid_from}`);
		case 'no_longer_valid':
			throw refused('outside_validity', `time slot ${slot.id} is valid until ${slot.valid_until}`);
		default:
			throw new ApiError(refusal);
	}
}

function refused(code: FaultCode, message: string): ApiError {
	return ApiError.naming('invalid_request', [{ field: 'date', code, message }]);
}
