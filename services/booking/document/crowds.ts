import type { QueryFilter } from 'mongoose';
import type { Scoped } from '../../../shared/contract/actions.ts';
import { findPlain } from '../../../shared/store/find-plain.ts';
import type { BookingDocument, BookingModel } from './booking.model.ts';
import { type Occupant, type Occurrence, occurrenceName, seatOf } from './keys.ts';

/** What is read of a booking to make it an `Occupant` */
export const OCCUPANT = { account_id: 1, place: 1, seat_key: 1, customer_key: 1, held_until: 1 } as const;

/**
 * Questions about the bookings of one occurrence that are answered without reading all of them: one may have 10,000. Each
 * answer is as new as its question.
 */
export class Crowds {
	readonly #model: BookingModel;

	constructor(model: BookingModel) {
		this.#model = model;
	}

	/** Whether a seat with this number or a higher one is held, or one whose number is not noted (a booking of 0.1). */
	async reaches(occurrence: Occurrence, seat: number): Promise<boolean> {
		const window = { projection: { _id: 1 }, limit: 1 } as const;
		const [above, unknown] = await Promise.all([
			findPlain(this.#model, { ...holding(occurrence), seat: { $gte: seat } }, window),
			findPlain(this.#model, { ...holding(occurrence), seat: null }, window),
		]);
		return above.length > 0 || unknown.length > 0;
	}

	/** Those of `seats` that are held. */
	async held(occurrence: Occurrence, seats: readonly number[]): Promise<Set<number>> {
		const filter = { ...holding(occurrence), seat: { $in: [...seats] } };
		const found = await findPlain(this.#model, filter, { projection: { seat: 1 } });
		return new Set(found.map(({ seat }) => seat as number));
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

	count(occurrence: Occurrence): Promise<number> {
		return this.#model.countDocuments(holding(occurrence)).exec();
	}

	/** Every booking that holds a seat. */
	all(occurrence: Occurrence): Promise<Occupant[]> {
		return this.#find(holding(occurrence));
	}

	async #find(
		filter: QueryFilter<BookingDocument>,
		window: { hint?: string; limit?: number } = {},
	): Promise<Occupant[]> {
		return (await findPlain(this.#model, filter, { projection: OCCUPANT, ...window })).map(occupant);
	}
}

export function occupant({ _id, seat_key, customer_key, held_until = 0 }: BookingDocument): Occupant {
	return { id: _id, seat: seatOf(seat_key), customerKey: customer_key, heldUntil: held_until };
}

function holding({ account_id, time_slot_id, date }: Occurrence): Scoped & { place: string } {
	return { account_id, place: occurrenceName(time_slot_id, date) };
}
