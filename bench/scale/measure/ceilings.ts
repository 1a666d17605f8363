import { type IndexSpecification, MongoClient } from 'mongodb';
import { createdBooking } from './sample-booking.ts';

const TRIAL = 1_500; // ms
const TOGETHER = 100;

/** What the database does alone, without the product before it. Rates a second. */
export interface Ceilings {
	/** `$inc` of one document, by how many clients ask at once */
	increments: Record<string, number>;
	/** Documents inserted, 100 at a time, with the indexes of bookings, by eight clients */
	inserted: number;
	/** Reads of one document by its `_id`, by 32 clients */
	found: number;
}

/** @param url with a database's name; two collections are made in it and dropped */
export async function measureCeilings(url: string): Promise<Ceilings> {
	const client = await MongoClient.connect(url, { maxPoolSize: 64 });
	try {
		const counters = client.db().collection<{ _id: string; value: number }>('scale_counters');
		const bookings = client.db().collection<{ _id: number }>('scale_bookings');
		await counters.insertOne({ _id: 'one', value: 0 });
		for (const key of [{ place: 1, seat: 1 }, { customer_key: 1 }, { idempotency_key: 1 }] as IndexSpecification[]) {
			await bookings.createIndex(key, { unique: true });
		}
		for (const name of ['relay_at', 'account_id']) await bookings.createIndex({ [name]: 1 });
		const increments: Record<string, number> = {};
		for (const clients of [1, 4, 16]) {
			increments[clients] = await rate(clients, () =>
				counters.findOneAndUpdate({ _id: 'one' }, { $inc: { value: 1 } }, { returnDocument: 'after' }),
			);
		}
		let id = 0;
		const inserts = await rate(8, async () => {
			await bookings.insertMany(
				Array.from({ length: TOGETHER }, () => createdBooking(++id)),
				{ ordered: false },
			);
		});
		const most = id;
		const found = await rate(32, () => bookings.findOne({ _id: 1 + Math.floor(Math.random() * most) }));
		await Promise.all([counters.drop(), bookings.drop()]);
		return { increments, inserted: inserts * TOGETHER, found };
	} finally {
		await client.close();
	}
}

/** How often a second `clients` at once get an answer. */
async function rate(clients: number, ask: () => Promise<unknown>): Promise<number> {
	const end = performance.now() + TRIAL;
	let done = 0;
	const loop = async () => {
		for (; performance.now() < end; done++) await ask();
	};
	await Promise.all(Array.from({ length: clients }, loop));
	return (done * 1_000) / TRIAL;
}
