import { datesBetween } from '../../../shared/calendar/plain-date.ts';
import type { Result } from '../../../shared/contract/actions.ts';
import { ApiError, type Fault } from '../../../shared/contract/errors.ts';
import type { AvailabilityEntry, ServiceAvailabilityEntry } from '../../../shared/contract/schemas/availability.ts';
import type { OperationRequest } from './operation.ts';

/**
 * Rows of one answer of several services: 12 MB. More than twice as much would be cut off, as what a process keeps for clients
 * is. One date of 20 services has 10,000 at most, so whatever is refused can be had by asking for fewer dates.
 */
const MOST_ROWS = 50_000;

type Call = OperationRequest<unknown, unknown, unknown>['call'];

interface Asked {
	from: string;
	to: string;
	time_slot_id?: number;
	bookable?: boolean;
}

/** The rows of a service that are asked for, by date, then slot. A piece has all rows of each of its dates. */
export async function* availabilityOf(
	call: Call,
	service_id: number,
	asked: Asked,
): AsyncGenerator<AvailabilityEntry[]> {
	const { from, to, time_slot_id, bookable } = asked;
	const isAsked = (entry: AvailabilityEntry) =>
		(time_slot_id ?? entry.time_slot_id) === entry.time_slot_id && (bookable ?? entry.bookable) === entry.bookable;
	for (let next: { from: string } | null = { from }; next !== null; ) {
		const piece: Result<'booking.availability'> = await call('booking.availability', { service_id, to, ...next });
		yield piece.availability.filter(isAsked);
		next = piece.next;
	}
}

/**
 * The same of several services, by date, then service, then slot. One service is asked after the other: each may be dear
 * work, of which an account has little at once, so those of one request would wait for each other.
 * @throws invalid_request where there are too many rows
 */
export async function* availabilityOfServices(
	call: Call,
	service_ids: readonly number[],
	asked: Asked,
): AsyncGenerator<ServiceAvailabilityEntry[]> {
	const services = service_ids
		.toSorted((a, b) => a - b)
		.map((service_id) => ({ service_id, dates: new Dates(availabilityOf(call, service_id, asked)) }));
	let count = 0;
	for (const date of datesBetween(asked.from, asked.to)) {
		for (const { service_id, dates } of services) {
			const rows = await dates.rowsOf(date);
			count += rows.length;
			if (count > MOST_ROWS) throw ApiError.naming('invalid_request', [TOO_MANY]);
			yield rows.map((row) => ({ service_id, ...row }));
		}
	}
}

/** The rows of a service, date after date. */
class Dates {
	readonly #pieces: AsyncGenerator<AvailabilityEntry[]>;
	#piece: AvailabilityEntry[] = [];
	#at = 0;

	constructor(pieces: AsyncGenerator<AvailabilityEntry[]>) {
		this.#pieces = pieces;
	}

	/** @param date not before the one that was asked for last */
	async rowsOf(date: string): Promise<AvailabilityEntry[]> {
		while (this.#at === this.#piece.length) {
			const { done, value } = await this.#pieces.next();
			if (done === true) return [];
			this.#piece = value;
			this.#at = 0;
		}
		const begin = this.#at;
		while (this.#piece[this.#at]?.date === date) this.#at++;
		return this.#piece.slice(begin, this.#at);
	}
}

/** Rows as JSON.stringify writes them, in half the time: nothing in them has to be escaped. */
export function availabilityText(rows: readonly (AvailabilityEntry | ServiceAvailabilityEntry)[]): string {
	let text = '';
	for (const row of rows) {
		const { date, time_slot_id, starts_at, ends_at, max_bookings, override_id, booked, remaining, bookable } = row;
		const service = 'service_id' in row ? `"service_id":${row.service_id},` : '';
		const reason = row.reason === null ? 'null' : `"${row.reason}"`;
		text +=
			`${text === '' ? '' : ','}{"date":"${date}",${service}"time_slot_id":${time_slot_id},"starts_at":"${starts_at}",` +
			`"ends_at":"${ends_at}","max_bookings":${max_bookings},"override_id":${override_id},"booked":${booked},` +
			`"remaining":${remaining},"bookable":${bookable},"reason":${reason}}`;
	}
	return text;
}

const TOO_MANY: Fault = {
	field: 'to',
	code: 'out_of_range',
	message: 'must be nearer to from, or fewer services be named: there are more than 50,000 rows',
};
