import { findPlain } from '../../../shared/store/find-plain.ts';
import { type BookingDocument, type BookingModel, SEATED } from './booking.model.ts';
import { occurrenceName } from './keys.ts';

/** Documents of one read, at 0.5 KB each */
const PAGE = 1_000;

const FIELDS = { account_id: 1, time_slot_id: 1, date: 1, place: 1, promised: 1, held_until: 1 } as const;
/** A booking that holds a seat, until when, and what it was promised. */
export type SeatedBooking = Pick<BookingDocument, '_id' | keyof typeof FIELDS>;

interface Part {
	account_id: string;
	time_slot_id: number;
	from: string;
	to: string;
}

/** Bookings by the seats that they hold, one occurrence after the other. */
export class SeatedBookings {
	readonly #model: BookingModel;

	constructor(model: BookingModel) {
		this.#model = model;
	}

	/**
	 * Those that hold a seat of a slot on dates from one to another: by date, each occurrence whole. What is read is what the
	 * index has between two names of occurrences, however many bookings there are elsewhere, and little of it is held at once.
	 */
	async *ofSlot({ account_id, time_slot_id, from, to }: Part): AsyncGenerator<SeatedBooking[]> {
		const last = occurrenceName(time_slot_id, to);
		let range: { $gte: string } | { $gt: string } = { $gte: occurrenceName(time_slot_id, from) };
		for (;;) {
			const page = await this.#page(account_id, { ...range, $lte: last }, PAGE);
			const isLast = page.length < PAGE;
			const groups = [...Map.groupBy(page, ({ place }) => place)];
			// The last occurrence of a full page may go on behind it.
			const [partial] = isLast ? [] : groups.splice(-1);
			for (const [, bookings] of groups) yield bookings;
			if (partial === undefined) return;
			const [place] = partial;
			if (groups.length === 0) yield await this.#page(account_id, place);
			range = groups.length === 0 ? { $gt: place } : { $gte: place };
		}
	}

	#page(account_id: string, place: string | object, limit?: number): Promise<SeatedBooking[]> {
		const window = { sort: { place: 1 }, hint: 'seats', projection: FIELDS } as const;
		const filter = { place, account_id, ...SEATED } as Record<string, unknown>;
		return findPlain(this.#model, filter as object, { ...window, ...(limit !== undefined && { limit }) }) as Promise<
			SeatedBooking[]
		>;
	}
}
