import { createHash } from 'node:crypto';
import type { Connection } from 'mongoose';
import { isDuplicateKey } from '../write-errors.ts';

interface Addresses {
	email: string | null;
	phone: string | null;
}

interface Entry {
	_id: number;
	account_id: string;
	version: number;
	customer: Addresses | null;
	email_key?: string;
}

interface Booking {
	_id: number;
	account_id: string;
	service_id: number;
	date: string;
	status: string;
	idempotency?: { answer: { customer: Addresses } } | null;
}

interface Event {
	_id: string;
	account_id: string;
	data: { id: number; customer: Addresses };
	previous?: { customer?: Addresses };
	appended_at: string;
}

/** Entries or events of one page */
const PAGE = 500;

/** Entries of the directory get what the booking is about, and their address in lower case, by which they are found. */
export async function fillDirectory(connection: Connection): Promise<void> {
	const customers = connection.collection<Entry>('customers');
	const bookings = connection.collection<Booking>('bookings');
	const fields = { service_id: 1, date: 1, status: 1 };
	for (let last = 0; ; ) {
		const page = await customers.find({ _id: { $gt: last } }, { sort: { _id: 1 }, limit: PAGE }).toArray();
		if (page.length === 0) return;
		last = page.at(-1)!._id;
		const ids = page.map(({ _id }) => _id);
		const found = await bookings.find({ _id: { $in: ids } }, { projection: fields }).toArray();
		const byId = new Map(found.map((booking) => [booking._id, booking]));
		await Promise.all(
			page.map(({ _id, version, customer }) => {
				// Of a marker whose booking is gone nobody asks for these.
				const { service_id = 0, date = '', status = 'cancelled' } = byId.get(_id) ?? {};
				const email_key = customer?.email?.toLowerCase() ?? '';
				const same = { _id, version, email_key: null }; // not one that has it by now
				return customers.updateOne(same as object, { $set: { service_id, date, status, email_key } } as object);
			}),
		);
	}
}

/**
 * Whom the events that are kept, and the first answers, tell of though the directory does not: their bookings were deleted, or
 * are for somebody else.
 */
export async function noteFormerCustomers(connection: Connection): Promise<void> {
	const events = connection.collection<Event>('events');
	for (let last = ''; ; ) {
		const page = await events.find({ _id: { $gt: last } }, { sort: { _id: 1 }, limit: PAGE }).toArray();
		if (page.length === 0) break;
		last = page.at(-1)!._id;
		const told = page.flatMap(({ account_id, data, previous, appended_at }) =>
			[data.customer, previous?.customer].map((customer) => ({ account_id, id: data.id, customer, at: appended_at })),
		);
		await note(connection, told);
	}
	const bookings = connection.collection<Booking>('bookings');
	const fields = { account_id: 1, idempotency: 1 };
	for (let last = 0; ; ) {
		const window = { projection: fields, sort: { _id: 1 as const }, limit: PAGE };
		const page = await bookings.find({ _id: { $gt: last } }, window).toArray();
		if (page.length === 0) return;
		last = page.at(-1)!._id;
		const at = new Date().toISOString();
		const told = page.map(({ account_id, _id, idempotency }) => {
			return { account_id, id: _id, customer: idempotency?.answer.customer, at };
		});
		await note(connection, told);
	}
}

interface Told {
	account_id: string;
	/** Of the booking */
	id: number;
	customer: Addresses | undefined;
	at: string;
}

async function note(connection: Connection, told: Told[]): Promise<void> {
	const ids = [...new Set(told.map(({ id }) => id))];
	const entries = await connection
		.collection<Entry>('customers')
		.find({ _id: { $in: ids } })
		.toArray();
	const now = new Map(entries.map(({ _id, customer }) => [_id, new Set(keysOf(customer ?? undefined))]));
	const rows = told.flatMap(({ account_id, id: booking_id, customer, at }) =>
		keysOf(customer)
			.filter((key) => now.get(booking_id)?.has(key) !== true)
			.map((key) => ({ _id: `${booking_id}:${key}`, account_id, booking_id, key, noted_at: Date.parse(at) })),
	);
	const former = connection.collection('former_customers');
	for (const row of new Map(rows.map((each) => [each._id, each])).values()) {
		await former.insertOne(row as object).catch((error: unknown) => {
			if (!isDuplicateKey(error)) throw error;
		});
	}
}

function keysOf(customer: Addresses | undefined): string[] {
	const { email = null, phone = null } = customer ?? {};
	const keyed = (kind: string, value: string) =>
		`${kind}:${createHash('sha256').update(value).digest('base64url').slice(0, 32)}`;
	return [
		...(email === null ? [] : [keyed('email', email.toLowerCase())]),
		...(phone === null ? [] : [keyed('phone', phone)]),
	];
}
