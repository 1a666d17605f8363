import { accountKey } from '../../../shared/contract/actions/common.ts';
import type { ServiceKey } from '../../../shared/contract/actions.ts';
import { byRank, type Ranked } from '../../../shared/contract/ranked.ts';
import type { BookingFilters, BookingSort } from '../../../shared/contract/schemas/booking.ts';
import { boundedCount, EXACT_UP_TO } from '../../../shared/store/bounded-count.ts';
import { findPlain } from '../../../shared/store/find-plain.ts';
import { type BookingDocument, type BookingModel, SHOWN, type ShownBooking } from './booking.model.ts';
import {
	both,
	type Filter,
	type IndexedFilter,
	indexedFilters,
	type ListOrder,
	orderOf,
	sortOf,
} from './list-filters.ts';

/** Services that one query names: the embedded store looks for each one in the index */
const SERVICES_A_QUERY = 500;
const ID = { _id: 1 } as const;
/** Bookings before a page whose reading costs less than a second query */
const NEAR = 100;
/** Attempts at a count of which bookings change while they are counted */
const MOST_ATTEMPTS = 5;

/** A service, or all services of an account. */
export interface ListScope {
	account_id: string;
	service_ids: readonly number[];
}

export interface ListWindow {
	offset: number;
	limit: number;
}

export interface ListPage {
	ranked: Ranked[];
	first: ShownBooking[];
}

/** After a row that was there: its id, and its value of the field that the list is sorted by */
export interface ListCursor {
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

	/**
	 * Bookings in the order asked, each once; those with the same value by id, in the same direction.
	 * @param count of the first ones that are read whole; a short page near the beginning is so at once
	 */
	async page(query: ListQuery, window: ListWindow, count: number): Promise<ListPage> {
		const { order, scope } = query;
		const way = await this.#way(query);
		const [ofService] = queriesOf(query);
		if (ofService === undefined) return { ranked: [], first: [] };
		const { offset: skip, limit } = window;
		const isWalk = way.isOrdered && scope.service_ids.length === 1;
		const isWhole = isWalk && limit <= count && skip <= NEAR;
		const projection = isWhole ? SHOWN : rankOf(order);
		const asked = { sort: sortOf(order), hint: way.index, skip, limit, projection };
		const found = isWalk ? await findPlain(this.#model, ofService, asked) : [];
		const rows = [...new Map(found.map((row) => [row._id, row])).values()]; // one that moves in the index is met again
		const ranked = isWalk ? rows.map((row) => toRanked(row, order)) : await this.#rank(query, way, window);
		const ids = ranked.slice(0, count).map(({ id }) => id);
		return { ranked, first: isWhole ? rows : await this.among(query, ids) };
	}

	/** Those of these bookings that match, as they are now, in the order of the ids. */
	async among(query: Pick<ListQuery, 'scope' | 'filters'>, ids: readonly number[]): Promise<ShownBooking[]> {
		if (ids.length === 0) return [];
		const byId = queriesOf(query).map((filter) =>
			findPlain(this.#model, { ...filter, _id: { $in: [...ids] } }, { hint: '_id_', projection: SHOWN }),
		);
		const rows = new Map((await Promise.all(byId)).flat().map((row) => [row._id, row]));
		return ids.flatMap((id) => rows.get(id) ?? []);
	}

	/** Ids of a service's bookings that begin from one moment to another (ms), along an index. */
	async startingBetween(
		{ account_id, service_id }: ServiceKey,
		from: number,
		to: number,
		sort: BookingSort,
		limit: number,
	) {
		const order = orderOf(sort);
		const filter: Filter = { account_id, listed_under: service_id, starts_ms: { $gte: from, $lte: to } };
		const window = { sort: sortOf(order), hint: order.index, limit, projection: ID };
		return (await findPlain(this.#model, filter, window)).map(({ _id }) => _id);
	}

	/** Bookings of a service that begin from one moment to another (ms), along an index. */
	between({ account_id, service_id }: ServiceKey, from: number, to: number, sort: BookingSort, cursor: ListCursor) {
		const order = orderOf(sort);
		const filter: Filter = { account_id, listed_under: service_id, starts_ms: { $gte: from, $lte: to } };
		return this.#walk(filter, order, cursor);
	}

	/** How many bookings match; exact up to 10,000. */
	async total(query: Pick<ListQuery, 'scope' | 'filters'>): Promise<number> {
		const [filter, ...others] = indexedFilters(query.filters);
		const leading = others.length === 0 ? filter : await this.#leading(query);
		return this.#count(query.scope, queriesOf(query), leading);
	}

	/** How many of a service's bookings hold a seat; exact up to 10,000. */
	countActive(service: ServiceKey): Promise<number> {
		const { account_id, service_id } = service;
		const filter: Filter = { account_id, counted_under: service_id };
		return boundedCount(this.#model, filter, accountKey(service, service_id, 'active'), 'counted_by_occurrence');
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
				return { ...one, count: await this.#count(scope, queries, one) };
			}),
		);
		return counted.reduce((least, one) => (one.count < least.count ? one : least));
	}

	async #count(
		scope: ListScope,
		queries: Filter[],
		leading: Pick<IndexedFilter, 'index'> | undefined,
	): Promise<number> {
		const counts = queries.map((filter) => {
			return boundedCount(this.#model, filter, accountKey(scope, 'listed', JSON.stringify(filter)), leading?.index);
		});
		return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
	}

	/** Reads along the index of an order. */
	async #walk(filter: Filter, order: ListOrder, { after, limit }: ListCursor): Promise<BookingDocument[]> {
		const { field, direction, index: hint } = order;
		const behind = direction === 1 ? '$gt' : '$lt';
		const find = (more: Record<string, unknown>, limit: number) =>
			findPlain(this.#model, both(filter, more), { sort: sortOf(order), hint, limit });
		if (after === undefined) return find({}, limit);
		const same = await find({ [field]: after.at, _id: { [behind]: after.id } }, limit);
		if (same.length === limit) return same;
		return [...same, ...(await find({ [field]: { [behind]: after.at } }, limit - same.length))];
	}

	/** Reads the ids of all that match, and puts them in order. */
	async #rank(query: ListQuery, { index }: Way, { offset, limit }: ListWindow): Promise<Ranked[]> {
		const ranked = (await this.#ranked(query, index)).sort(byRank(query.order.direction));
		return ranked.slice(offset, offset + limit);
	}

	async #ranked(query: ListQuery, hint: string): Promise<Ranked[]> {
		const { order } = query;
		const ranked: Ranked[] = [];
		for (const filter of queriesOf(query)) {
			const rows = await findPlain(this.#model, filter, { hint, projection: rankOf(order) });
			for (const row of rows) ranked.push(toRanked(row, order));
		}
		return ranked;
	}
}

/** What has to be read of a booking to put it in an order. */
function rankOf({ field }: ListOrder) {
	return field === '_id' ? ID : ({ _id: 1, [field]: 1 } as const);
}

function toRanked(row: Pick<BookingDocument, '_id' | ListOrder['field']>, { field }: ListOrder): Ranked {
	return { id: row._id, at: row[field] ?? 0 };
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
