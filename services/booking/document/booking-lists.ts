import type { QueryFilter } from 'mongoose';
import { accountKey } from '../../../shared/contract/actions/common.ts';
import type { ServiceKey } from '../../../shared/contract/actions.ts';
import type { BookingFilters } from '../../../shared/contract/schemas/booking.ts';
import { boundedCount } from '../../../shared/store/bounded-count.ts';
import { findPlain } from '../../../shared/store/find-plain.ts';
import type { BookingDocument, BookingModel } from './booking.model.ts';
import { normalisedEmail } from './keys.ts';

type Filter = QueryFilter<BookingDocument>;

/** Lists and counts of one account's bookings. */
export class BookingLists {
	readonly #model: BookingModel;

	constructor(model: BookingModel) {
		this.#model = model;
	}

	/** A service's bookings by id, ascending. @param window from an offset, or after an id */
	page(
		service: ServiceKey,
		filters: BookingFilters,
		{ offset, after, limit }: { offset: number; after: number | undefined; limit: number },
	): Promise<BookingDocument[]> {
		const filter = listed(service, filters);
		const rest: Filter = after === undefined ? filter : { ...filter, _id: { $gt: after } };
		return findPlain(this.#model, rest, { sort: { _id: 1 }, skip: after === undefined ? offset : 0, limit });
	}

	/** How many of a service's bookings the filters match; exact up to 10,000. */
	total(service: ServiceKey, filters: BookingFilters): Promise<number> {
		const cacheKey = accountKey(service, service.service_id, JSON.stringify(filters));
		return boundedCount(this.#model, listed(service, filters), cacheKey);
	}

	/** How many of a service's bookings hold a seat; exact up to 10,000. */
	countActive(service: ServiceKey): Promise<number> {
		const { account_id, service_id } = service;
		const filter: Filter = { account_id, counted_under: service_id };
		return boundedCount(this.#model, filter, accountKey(service, service_id, 'active'));
	}

	/** How many bookings of a service hold a seat of each occurrence, by its name (`occurrenceName`), in one pass over an index. */
	async countByOccurrence(
		{ account_id, service_id }: ServiceKey,
		from: string,
		to: string,
	): Promise<Map<string, number>> {
		const counts = await this.#model.aggregate<{ _id: string; count: number }>([
			{ $match: { account_id, counted_under: service_id, date: { $gte: from, $lte: to } } },
			{ $group: { _id: '$place', count: { $sum: 1 } } },
		]);
		return new Map(counts.map(({ _id, count }) => [_id, count]));
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
}

function listed({ account_id, service_id }: ServiceKey, filters: BookingFilters): Filter {
	const { status, date, date_from, date_to, time_slot_id, customer_email } = filters;
	const range = {
		...(date === undefined ? {} : { $eq: date }),
		...(date_from === undefined ? {} : { $gte: date_from }),
		...(date_to === undefined ? {} : { $lte: date_to }),
	};
	return {
		account_id,
		listed_under: service_id,
		...(status === undefined ? {} : { status }),
		...(Object.keys(range).length === 0 ? {} : { date: range }),
		...(time_slot_id === undefined ? {} : { time_slot_id }),
		...(customer_email === undefined ? {} : { email_key: normalisedEmail(customer_email) }),
	};
}
