import type { Connection } from 'mongoose';

interface Booking {
	_id: number;
	place?: string;
	seat?: number | null;
	/** `<slot>:<date>:<seat>` while it holds a seat, else a filler */
	seat_key?: string;
}

const NO_SEAT = -1;

/** Bookings of one page */
const PAGE = 1_000;

/**
 * A booking's seat is its `place` and a number: one unique index in place of two, and of a text that said both. Until then a booking
 * of 0.1 had the number in the text only, and one without a seat had none.
 */
export async function numberSeats(connection: Connection): Promise<void> {
	const bookings = connection.collection<Booking>('bookings');
	const fields = { place: 1, seat: 1, seat_key: 1 };
	for (let last = 0; ; ) {
		const page = await bookings
			.find({ _id: { $gt: last } }, { projection: fields, sort: { _id: 1 }, limit: PAGE })
			.toArray();
		if (page.length === 0) return;
		last = page.at(-1)!._id;
		const bySeat = Map.groupBy(
			page.filter(({ seat_key }) => seat_key !== undefined),
			seatOf,
		);
		await Promise.all(
			[...bySeat].map(([seat, group]) =>
				bookings.updateMany(
					{ _id: { $in: group.map(({ _id }) => _id) }, seat_key: { $gt: '' } }, // not one that has it by now
					{ $set: { seat }, $unset: { seat_key: '' } },
				),
			),
		);
	}
}

function seatOf({ place, seat, seat_key }: Booking): number {
	if (place === '' || place === undefined) return NO_SEAT;
	const number = seat ?? Number(seat_key!.slice(seat_key!.lastIndexOf(':') + 1));
	return Number.isSafeInteger(number) ? number : NO_SEAT; // the audit finds it, and gives it one
}
