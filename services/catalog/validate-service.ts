import { isTimeZone } from '../../shared/calendar/time-zone.ts';
import { ApiError, type Fault } from '../../shared/contract/errors.ts';
import type { CreateService, UpdateService } from '../../shared/contract/schemas/service.ts';
import type { TimeSlotInput } from '../../shared/contract/schemas/time-slot.ts';

/**
 * Refuses what is well-formed, but what no service can have: 422 (contract §1); a slot that is never valid is 400.
 * @throws unprocessable, invalid_request, which name every failing field
 */
export function assertCreatable(body: CreateService): void {
	const never = (body.time_slots ?? []).flatMap((slot, index) => validityFaults(slot, index));
	if (never.length > 0) throw ApiError.naming('invalid_request', never);
	const faults = [
		...zoneFaults(body.timezone),
		...(body.time_slots ?? []).flatMap((slot, index) => endFaults(slot, index)),
	];
	if (faults.length > 0) throw ApiError.naming('unprocessable', faults);
}

/** @throws invalid_request: on PATCH the same fault is a 400 */
export function assertUpdatable(body: UpdateService): void {
	const faults = body.timezone === undefined ? [] : zoneFaults(body.timezone);
	if (faults.length > 0) throw ApiError.naming('invalid_request', faults);
}

/** @param index of the slot in the request */
export function endFaults(slot: { start_time: string; end_time: string }, index: number): Fault[] {
	if (slot.end_time > slot.start_time) return [];
	return [{ field: `time_slots[${index}].end_time`, code: 'contradiction', message: 'must be after start_time' }];
}

/** @param index of the slot in the request */
export function validityFaults({ valid_from, valid_until }: Validity, index: number): Fault[] {
	if (valid_from == null || valid_until == null || valid_from <= valid_until) return [];
	return [
		{ field: `time_slots[${index}].valid_until`, code: 'contradiction', message: 'must not be before valid_from' },
	];
}

type Validity = Pick<TimeSlotInput, 'valid_from' | 'valid_until'>;

export function zoneFaults(timezone: string): Fault[] {
	if (isTimeZone(timezone)) return [];
	const message = `${JSON.stringify(timezone)} is not an IANA time zone`;
	return [{ field: 'timezone', code: 'unknown_time_zone', message }];
}
