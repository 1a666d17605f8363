import { datesBetween } from '../../../shared/calendar/plain-date.ts';
import type { Result } from '../../../shared/contract/actions.ts';
import type { AvailabilityEntry, ServiceAvailabilityEntry } from '../../../shared/contract/schemas/availability.ts';
import type { OperationRequest } from './operation.ts';

type Call = OperationRequest<unknown, unknown, unknown>['call'];

interface Asked {
	from: string;
	to: string;
	time_slot_id?: number;
	bookable?: boolean;
}

/** The rows of a service that are asked for, by date, then slot. */
export async function availabilityOf(call: Call, service_id: number, asked: Asked): Promise<AvailabilityEntry[]> {
	const { from, to, time_slot_id, bookable } = asked;
	const isAsked = (entry: AvailabilityEntry) =>
		(time_slot_id ?? entry.time_slot_id) === entry.time_slot_id && (bookable ?? entry.bookable) === entry.bookable;
	const rows: AvailabilityEntry[] = [];
	for (let next: { from: string } | null = { from }; next !== null; ) {
		const piece: Result<'booking.availability'> = await call('booking.availability', { service_id, to, ...next });
		rows.push(...piece.availability.filter(isAsked));
		next = piece.next;
	}
	return rows;
}

/**
 * The same of several services, by date, then service, then slot. One service is asked after the other: each may be dear
 * work, of which an account has little at once, so those of one request would wait for each other.
 */
export async function availabilityOfServices(
	call: Call,
	service_ids: readonly number[],
	asked: Asked,
): Promise<ServiceAvailabilityEntry[]> {
	const byDate = new Map(datesBetween(asked.from, asked.to).map((date) => [date, [] as ServiceAvailabilityEntry[]]));
	for (const service_id of service_ids.toSorted((a, b) => a - b)) {
		for (const { date, ...place } of await availabilityOf(call, service_id, asked)) {
			byDate.get(date)!.push({ date, service_id, ...place });
		}
	}
	return [...byDate.values()].flat();
}
