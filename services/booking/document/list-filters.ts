import type { QueryFilter } from 'mongoose';
import { normalisedEmail } from '../../../shared/contract/person.ts';
import type { BookingFilters, BookingSort } from '../../../shared/contract/schemas/booking.ts';
import type { BookingDocument } from './booking.model.ts';

export type Filter = QueryFilter<BookingDocument>;

/** A filter and the index that answers it. */
export interface IndexedFilter {
	index: string;
	condition: Filter;
	/** One value: what the index leaves comes by id */
	isEquality: boolean;
}

/** What a list is sorted by, and the index that has it in that order within a service. */
export interface ListOrder {
	field: '_id' | 'starts_ms' | 'updated_at';
	direction: 1 | -1;
	index: string;
}

const FIELDS = {
	id: { field: '_id', index: 'listed' },
	starts_at: { field: 'starts_ms', index: 'listed_by_start' },
	updated_at: { field: 'updated_at', index: 'listed_by_update' },
} as const;

export function orderOf(sort: BookingSort): ListOrder {
	const isDescending = sort.startsWith('-');
	const name = (isDescending ? sort.slice(1) : sort) as keyof typeof FIELDS;
	return { ...FIELDS[name], direction: isDescending ? -1 : 1 };
}

export function sortOf({ field, direction }: ListOrder): Record<string, 1 | -1> {
	return field === '_id' ? { _id: direction } : { [field]: direction, _id: direction };
}

/** The filters that are given, each with its index. */
export function indexedFilters(filters: BookingFilters): IndexedFilter[] {
	const { status, time_slot_id, customer_email, customer_phone, updated_since } = filters;
	const found: IndexedFilter[] = [];
	const equal = (index: string, condition: Filter) => found.push({ index, condition, isEquality: true });
	const range = (index: string, condition: Filter) => found.push({ index, condition, isEquality: false });
	if (customer_email !== undefined) equal('with_email', { email_key: normalisedEmail(customer_email) });
	if (customer_phone !== undefined) equal('with_phone', { 'customer.phone': customer_phone });
	if (time_slot_id !== undefined) equal('listed_by_slot', { time_slot_id });
	const { isOne, date } = dates(filters);
	if (date !== undefined) (isOne ? equal : range)('listed_by_date', { date });
	if (updated_since !== undefined) {
		range('listed_by_update', { updated_at: { $gte: new Date(updated_since).toISOString() } });
	}
	if (status !== undefined) equal('listed_by_status', { status });
	return found;
}

/** One date where it is asked for and the range has it; an empty range where it has not. */
function dates({ date, date_from, date_to }: BookingFilters) {
	if (date !== undefined && (date_from ?? date) <= date && (date_to ?? date) >= date) return { isOne: true, date };
	const from = [date, date_from]
		.filter((one) => one !== undefined)
		.sort()
		.at(-1);
	const to = [date, date_to].filter((one) => one !== undefined).sort()[0];
	if (from === undefined && to === undefined) return { isOne: false, date: undefined };
	const range = { ...(from !== undefined && { $gte: from }), ...(to !== undefined && { $lte: to }) };
	return { isOne: false, date: range };
}

/** Conditions on one field are joined; a stricter limit takes the place of the one that is there. */
export function both(filter: Filter, more: Record<string, unknown>): Filter {
	const joined: Record<string, unknown> = { ...filter };
	for (const [field, condition] of Object.entries(more)) {
		if (isObject(joined[field]) && isObject(condition)) {
			const { $gte, ...others } = joined[field];
			joined[field] = { ...('$gt' in condition || $gte === undefined ? others : joined[field]), ...condition };
		} else {
			joined[field] = condition;
		}
	}
	return joined;
}

function isObject(value: unknown): value is Record<string, unknown> {
	return typeof value === 'object' && value !== null;
}
