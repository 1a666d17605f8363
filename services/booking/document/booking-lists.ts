import { accountKey } from '../../../shared/contract/actions/common.ts';
import type { ServiceKey } from '../../../shared/contract/actions.ts';
import type { BookingFilters, BookingSort } from '../../../shared/contract/schemas/booking.ts';
import { boundedCount, EXACT_UP_TO } from '../../../shared/store/bounded-count.ts';
import { findPlain } from '../../../shared/store/find-plain.ts';
import type { BookingDocument, BookingModel } from './booking.model.ts';
import { type Filter, type IndexedFilter, indexedFilters, type ListOrder, orderOf } from './list-filters.ts';

/** Services that one query names: the embedded store looks for each one in the index */
const SERVICES_A_QUERY = 500;
/** Attempts at a page of which bookings change while it is read */
const MOST_ATTEMPTS = 5;

/** A service, or all services of an account. */
export interface ListScope {
	account_id: string;
	service_ids: readonly number[];
}

/** From an offset, or after a row that was there: its id, and its value of the field that the list is sorted by */
export interface ListWindow {
	offset: number;
	after: { id: number; at: string | number } | undefined;
	limit: number;
}

/** What a list asks for. */
export interface ListQuery {
	scope: ListScope;
	filters: BookingFilters;
	order: ListOrder;
}

/** Of the bookings of a service whose hold has ended, each one's occurrence */
export interface Expired {
	/** ms */
	until: number;
	places: string[];
}

/** How a list is read: which index leads, and whether its entries come in the order asked. */
interface Way {
	index: string;
	isOrdered: boolean;
}

/**
 * Lists and counts of one account's bookings. Each filter alone, and each order within a service, is answered from an index
 * that begins with account and service (ADR 37):
 *
 * - without a filter the index of the order is walked, and with one alone that of the filter, where it has the order asked;
 * - else the filter that leaves the fewest bookings leads: what it leaves is read and put in order, but
 * - where even that one leaves more than 10,000 of a service, the index of the order is walked, for a page is soon full.
 */
export class BookingLists {
	readonly #model: BookingModel;

	constructor(model: BookingModel) {
		this.#model = model;
	}

	/** Bookings in the order asked; those with the same value by id, in the same direction. */
	async page(query: ListQuery, window: ListWindow): Promise<BookingDocument[]> {
		const way = await this.#way(query);
		const [ofService] = queriesOf(query);
		if (ofService === undefined) return [];
		if (way.isOrdered && query.scope.service_ids.length === 1) return this.#walk(ofService, way, query.order, window);
		return this.#rank(query, way, window);
	}

	/** Bookings of a service that begin from one moment to another (ms), along an index. */
	between({ account_id, service_id }: ServiceKey, from: number, to: number, sort: BookingSort, window: ListWindow) {
		const order = orderOf(sort);
		const filter: Filter = { account_id, listed_under: service_id, starts_ms: { $gte: from, $lte: to } };
		return this.#walk(filter, { index: order.index, isOrdered: true }, order, window);
	}

	/** How many bookings match; exact up to 10,000. */
	async total(query: Pick<ListQuery, 'scope' | 'filters'>): Promise<number> {
		const [filter, ...others] = indexedFilters(query.filters);
		const leading = others.length === 0 ? filter : await this.#leading(query);
		return this.#count(query.scope, queriesOf(query), leading, others.length === 0 && (filter?.isEquality ?? true));
	}

	/** How many of a service's bookings hold a seat; exact up to 10,000. */
	countActive(service: ServiceKey): Promise<number> {
		const { account_id, service_id } = service;
		const filter: Filter = { account_id, counted_under: service_id };
		return boundedCount(this.#model, filter, accountKey(service, service_id, 'active'));
	}

	/**
	 * How many bookings of a service hold a seat of each occurrence, by its name (`occurrenceName`), in one pass over an index; those
	 * whose hold has ended are left out, though they hold it until somebody cancels them.
	 * @param expired of the service, read before (`expired`)
	 */
	async countByOccurrence(
		service: ServiceKey,
		from: string,
		to: string,
		expired: Expired,
	): Promise<Map<string, number>> {
		for (let attempt = 1, before = expired; ; attempt++) {
			const counts = await this.#countHeld(service, from, to);
			if (before.places.length === 0) return counts; // none had, so none of those that were counted
			const after = await this.expired(service, expired.until);
			// Who was there before and after was counted in between; nobody's hold begins to have ended at a moment that is past.
			if (after.places.length === before.places.length || attempt === MOST_ATTEMPTS) {
				for (const place of after.places) counts.set(place, (counts.get(place) ?? 1) - 1);
				return counts;
			}
			before = after;
		}
	}

	/** Bookings of a service whose hold ended until a moment (ms), and that nobody has cancelled yet. Nearly always none. */
	async expired({ account_id, service_id }: ServiceKey, until: number): Promise<Expired> {
		const filter = { account_id, counted_under: service_id, held_until: { $gt: 0, $lte: until } };
		const window = { hint: 'holds_of_service', projection: { place: 1 } } as const;
		const found = await findPlain(this.#model, filter, window);
		return { until, places: found.map(({ place }) => place) };
	}

	async #countHeld({ account_id, service_id }: ServiceKey, from: string, to: string): Promise<Map<string, number>> {
		const counts = await this.#model.aggregate<{ _id: string; count: number }>([
			{ $match: { account_id, counted_under: service_id, date: { $gte: from, $lte: to } } },
			{ $group: { _id: '$place', count: { $sum: 1 } } },
		]);
		return new Map(counts.map(({ _id, count }) => [_id, count]));
	}

	/** Those of a service's slots that it lists a booking of. */
	async bookedSlots({ account_id, service_id }: ServiceKey, time_slot_ids: number[]): Promise<number[]> {
		const first = { hint: 'listed_by_slot', projection: { time_slot_id: 1 }, limit: 1 } as const;
		const found = await Promise.all(
			time_slot_ids.map((time_slot_id) =>
				findPlain(this.#model, { account_id, listed_under: service_id, time_slot_id }, first),
			),
		);
		return found.flat().map(({ time_slot_id }) => time_slot_id);
	}

	/** Ids of some bookings that a service still lists. */
	async someListed({ account_id, service_id }: ServiceKey, limit: number): Promise<number[]> {
		const page = await this.#model
			.find({ account_id, listed_under: service_id })
			.select({ _id: 1 })
			.limit(limit)
			.lean<{ _id: number }[]>();
		return page.map(({ _id }) => _id);
	}

	async #way(query: ListQuery): Promise<Way> {
		const { filters, order } = query;
		const ofOrder = { index: order.index, isOrdered: true };
		const [filter, ...others] = indexedFilters(filters);
		if (filter === undefined) return ofOrder;
		const isOrdered = order.index === filter.index || (order.field === '_id' && filter.isEquality);
		if (others.length === 0 && isOrdered) return { index: filter.index, isOrdered };
		const { index, count } = await this.#leading(query);
		const isWide = count > EXACT_UP_TO && query.scope.service_ids.length === 1;
		return isWide ? ofOrder : { index, isOrdered: false };
	}

	/** The filter that leaves the fewest bookings; `count` is exact up to 10,000. */
	async #leading({ scope, filters }: Pick<ListQuery, 'scope' | 'filters'>): Promise<IndexedFilter & { count: number }> {
		const counted = await Promise.all(
			indexedFilters(filters).map(async (one) => {
				const queries = scopesOf(scope).map((part): Filter => ({ ...part, ...one.condition }));
				return { ...one, count: await this.#count(scope, queries, one, one.isEquality) };
			}),
		);
		return counted.reduce((least, one) => (one.count < least.count ? one : least));
	}

	/** @param isOfOne whether a single value of the leading filter is all that is asked of a service */
	async #count(
		scope: ListScope,
		queries: Filter[],
		leading: Pick<IndexedFilter, 'index'> | undefined,
		isOfOne: boolean,
	): Promise<number> {
		const inOnePass = !isOfOne || scope.service_ids.length > 1;
		const by = leading && { hint: leading.index, inOnePass };
		const counts = queries.map((filter) => {
			return boundedCount(this.#model, filter, accountKey(scope, 'listed', JSON.stringify(filter)), by);
		});
		return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
	}

	/** Reads along an index in the order asked. */
	async #walk(
		filter: Filter,
		{ index: hint }: Way,
		order: ListOrder,
		{ offset, after, limit }: ListWindow,
	): Promise<BookingDocument[]> {
		const { field, direction } = order;
		const sort = field === '_id' ? { _id: direction } : { [field]: direction, _id: direction };
		const behind = direction === 1 ? '$gt' : '$lt';
		const find = (more: Record<string, unknown>, window: { skip?: number; limit: number }) =>
			findPlain(this.#model, both(filter, more), { sort, hint, ...window });
		if (after === undefined) return find({}, { skip: offset, limit });
		if (field === '_id') return find({ _id: { [behind]: after.id } }, { limit });
		const same = await find({ [field]: after.at, _id: { [behind]: after.id } }, { limit });
		if (same.length === limit) return same;
		return [...same, ...(await find({ [field]: { [behind]: after.at } }, { limit: limit - same.length }))];
	}

	/** Reads the ids of all that match, puts them in order, then reads the bookings of the window. */
	async #rank(query: ListQuery, { index }: Way, window: ListWindow): Promise<BookingDocument[]> {
		const { scope, filters, order } = query;
		for (let attempt = 1; ; attempt++) {
			const ids = inWindow(await this.#ranked(query, index), order, window);
			if (ids.length === 0) return [];
			const found = {
				account_id: scope.account_id,
				...conditionsOf(filters),
				_id: { $in: ids },
				listed_under: { $gt: 0 },
			};
			const rows = await findPlain(this.#model, found, { hint: '_id_' });
			// What was changed meanwhile must not look like the end of the list.
			if (rows.length < ids.length && attempt < MOST_ATTEMPTS) continue;
			const byId = new Map(rows.map((row) => [row._id, row]));
			return ids.flatMap((id) => byId.get(id) ?? []);
		}
	}

	async #ranked(query: ListQuery, hint: string): Promise<Ranked[]> {
		const { field } = query.order;
		const projection = field === '_id' ? ({ _id: 1 } as const) : ({ _id: 1, [field]: 1 } as const);
		const ranked: Ranked[] = [];
		for (const filter of queriesOf(query)) {
			const rows = await findPlain(this.#model, filter, { hint, projection });
			for (const row of rows) ranked.push({ id: row._id, at: row[field] ?? 0 });
		}
		return ranked;
	}
}

function inWindow(ranked: Ranked[], order: ListOrder, { offset, after, limit }: ListWindow): number[] {
	const byOrder = comparison(order);
	const rest = after === undefined ? ranked : ranked.filter((row) => byOrder(row, after) > 0);
	const first = after === undefined ? offset : 0;
	const rows = rest.sort(byOrder).slice(first, first + limit);
	return rows.map(({ id }) => id);
}

interface Ranked {
	id: number;
	at: string | number;
}

function comparison({ field, direction }: ListOrder): (left: Ranked, right: Ranked) => number {
	if (field === '_id') return (left, right) => (left.id - right.id) * direction;
	return (left, right) => {
		if (left.at === right.at) return (left.id - right.id) * direction;
		return left.at < right.at ? -direction : direction;
	};
}

/** The scope as conditions of one query each; none where there is no service. */
function scopesOf({ account_id, service_ids }: ListScope): Filter[] {
	if (service_ids.length === 1) return [{ account_id, listed_under: service_ids[0]! }];
	const parts: Filter[] = [];
	for (let at = 0; at < service_ids.length; at += SERVICES_A_QUERY) {
		parts.push({ account_id, listed_under: { $in: service_ids.slice(at, at + SERVICES_A_QUERY) } });
	}
	return parts;
}

function queriesOf({ scope, filters }: Pick<ListQuery, 'scope' | 'filters'>): Filter[] {
	return scopesOf(scope).map((part) => ({ ...part, ...conditionsOf(filters) }));
}

function conditionsOf(filters: BookingFilters): Filter {
	return Object.assign({}, ...indexedFilters(filters).map(({ condition }) => condition));
}

/** Conditions on one field are joined; a stricter limit takes the place of the one that is there. */
function both(filter: Filter, more: Record<string, unknown>): Filter {
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
