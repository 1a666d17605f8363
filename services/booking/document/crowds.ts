import type { QueryFilter } from 'mongoose';
import type { Scoped } from '../../../shared/contract/actions.ts';
import { findPlain } from '../../../shared/store/find-plain.ts';
import { type BookingDocument, type BookingModel, SEATED } from './booking.model.ts';
import { type Occupant, type Occurrence, occurrenceName } from './keys.ts';

/** What is read of a booking to make it an `Occupant` */
export const OCCUPANT = { account_id: 1, place: 1, seat: 1, customer_key: 1, held_until: 1 } as const;

/**
 * Questions about the bookings of one occurrence that are answered without reading all of them: one may have 10,000. Each
 * answer is as new as its question.
 */
export class Crowds {
	readonly #model: BookingModel;

	constructor(model: BookingModel) {
		this.#model = model;
	}

	/** Whether a seat with this number or a higher one is held. */
	async reaches(occurrence: Occurrence, seat: number): Promise<boolean> {
		const filter = { ...holding(occurrence), seat: { $gte: seat } };
		const found = await findPlain(this.#model, filter, { projection: { _id: 1 }, limit: 1, hint: 'seats' });
		return found.length > 0;
	}

	/** The seats that are held; of these only, where some are given. */
	async held(occurrence: Occurrence, seats?: readonly number[]): Promise<Set<number>> {
		const filter = { ...holding(occurrence), ...(seats && { seat: { $in: [...seats] } }) };
		const found = await findPlain(this.#model, filter, { projection: { seat: 1 }, hint: 'seats' });
		return new Set(found.map(({ seat }) => seat));
	}

	/** The occupants with one of these ids or customers' keys. */
	async among(occurrence: Occurrence, ids: number[], customerKeys: string[]): Promise<Occupant[]> {
		const filters = [
			...(ids.length === 0 ? [] : [{ _id: { $in: ids } }]),
			...(customerKeys.length === 0 ? [] : [{ customer_key: { $in: customerKeys } }]),
		];
		const found = await Promise.all(filters.map((filter) => this.#find({ ...holding(occurrence), ...filter })));
		return found.flat();
	}

	/** Some of those whose hold ended until a moment, ms. @param service_id of its slot */
	expired(occurrence: Occurrence, service_id: number, until: number, limit: number): Promise<Occupant[]> {
		const expired = { ...holding(occurrence), counted_under: service_id, held_until: { $gt: 0, $lte: until } };
		return this.#find(expired, { hint: 'holds_of_service', limit });
	}

	/** @param service_id of its slot: by it, an index has all that is asked */
	count({ account_id, time_slot_id, date }: Occurrence, service_id: number): Promise<number> {
		const filter = { account_id, counted_under: service_id, date, place: occurrenceName(time_slot_id, date) };
		return this.#model.countDocuments(filter).exec();
	}

	/** Every booking that holds a seat. */
	all(occurrence: Occurrence): Promise<Occupant[]> {
		return this.#find(holding(occurrence), { hint: 'seats' });
	}

	async #find(
		filter: QueryFilter<BookingDocument>,
		window: { hint?: string; limit?: number } = {},
	): Promise<Occupant[]> {
		return (await findPlain(this.#model, filter, { projection: OCCUPANT, ...window })).map(occupant);
	}
}

export function occupant({ _id, seat, customer_key, held_until = 0 }: BookingDocument): Occupant {
	return { id: _id, seat, customerKey: customer_key, heldUntil: held_until };
}

function holding({ account_id, time_slot_id, date }: Occurrence): Scoped & typeof SEATED & { place: string } {
	return { account_id, place: occurrenceName(time_slot_id, date), ...SEATED };
}
