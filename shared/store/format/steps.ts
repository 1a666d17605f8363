import type { Connection } from 'mongoose';
import { indexNotFound, namespaceNotFound } from '../write-errors.ts';
import { fillDirectory, noteFormerCustomers } from './fill-directory.ts';
import { numberSeats } from './number-seats.ts';
import { promiseMoments } from './promise-moments.ts';

/** From one format to the next. It knows collections and fields as they were then, not the models, which go on changing. */
export interface Step {
	/** The format that the store has afterwards */
	to: number;
	/** The oldest format that a process may have which writes then */
	writable_from: number;
	/** For the log */
	what: string;
	/**
	 * Can be done again after any part of it, by several processes at once, and by one that lags while another one serves what
	 * the last step left: so it looks at what it overwrites in the same write, and drops no index of a name that a model has.
	 */
	run(connection: Connection): Promise<void>;
}

/** Documents that one write looks at */
const PAGE = 5_000;

export const STEPS: readonly Step[] = [
	{
		to: 2,
		writable_from: 2,
		what: 'delivered tombstones get a mark of their own; bookings that hold a seat are indexed by occurrence',
		async run(connection) {
			await markTombstones(connection);
			for (const index of ['relay_at', 'counted']) await dropIndex(connection, 'bookings', index);
		},
	},
	{
		to: 3,
		writable_from: 2,
		what: 'seats are indexed by their number',
		run: (connection) => dropIndex(connection, 'bookings', 'place_of_account'),
	},
	{
		to: 4,
		writable_from: 4, // an earlier process would move bookings and leave what they were promised
		what: 'bookings say when they are',
		run: promiseMoments,
	},
	{
		to: 5,
		writable_from: 5, // an earlier process would look for the seats that are taken where they no longer are
		what: 'a seat is a number of its occurrence',
		async run(connection) {
			for (const index of ['seat_key', 'seats_of_occurrence']) await dropIndex(connection, 'bookings', index);
			await numberSeats(connection);
		},
	},
	{
		to: 6,
		writable_from: 6, // an earlier process would write entries that no address leads to
		what: 'the directory of customers says what was booked, and whom events were about',
		async run(connection) {
			await fillDirectory(connection);
			await noteFormerCustomers(connection);
			await dropIndex(connection, 'customers', 'deleted_at');
		},
	},
	{
		to: 7,
		writable_from: 7, // an earlier process would not find its indexes at its start, and give keys that mean none
		what: 'what a booking has not is in no index',
		async run(connection) {
			const indexes = ['listed_by_email', 'listed_by_phone', 'to_relay', 'idempotency_key'];
			for (const index of indexes) await dropIndex(connection, 'bookings', index);
			for (const index of ['by_email', 'by_phone']) await dropIndex(connection, 'customers', index);
			await emptyFreeKeys(connection);
		},
	},
];

/** `relay_at: 0` meant both a booking and a tombstone without events that wait; the sweep of tombstones read them all. */
function markTombstones(connection: Connection): Promise<void> {
	return updateBookings(connection, { relay_at: 0, deleted_at: { $gt: '' } }, { relay_at: -1 });
}

/** A booking without an idempotency key held `free:<id>`, for the unique index had an entry for each. */
function emptyFreeKeys(connection: Connection): Promise<void> {
	return updateBookings(connection, { idempotency_key: { $gte: 'free:', $lt: 'free;' } }, { idempotency_key: '' });
}

/** Sets fields of all bookings that match, a page after the other. */
async function updateBookings(connection: Connection, filter: object, fields: object): Promise<void> {
	const bookings = connection.collection<{ _id: number }>('bookings');
	for (let last = 0; ; ) {
		const page = await bookings
			.find({ _id: { $gt: last } }, { projection: { _id: 1 }, sort: { _id: 1 }, limit: PAGE })
			.toArray();
		const to = page.at(-1)?._id;
		if (to === undefined) return;
		await bookings.updateMany({ _id: { $gt: last, $lte: to }, ...filter }, { $set: fields });
		last = to;
	}
}

async function dropIndex(connection: Connection, collection: string, name: string): Promise<void> {
	try {
		await connection.collection(collection).dropIndex(name);
	} catch (error) {
		if (![indexNotFound, namespaceNotFound].includes((error as { code?: number }).code!)) throw error;
	}
}
