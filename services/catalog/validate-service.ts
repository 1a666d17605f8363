import { isTimeZone } from '../../shared/calendar/time-zone.ts';
import { ApiError, type Fault } from '../../shared/contract/errors.ts';
import type { CreateService, UpdateService } from '../../shared/contract/schemas/service.ts';

/**
 * Refuses what is well-formed, but what no service can have: 422 (contract §1).
 * @throws unprocessable, which names every failing field
 */
export function assertCreatable(body: CreateService): void {
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

function zoneFaults(timezone: string): Fault[] {
	if (isTimeZone(timezone)) return [];
	const message = `${JSON.stringify(timezone)} is not an IANA time zone`;
	return [{ field: 'timezone', code: 'unknown_time_zone', message }];
}
