import { expect, test } from '@jest/globals';
import type { Connection } from 'mongoose';
import { bringForward } from '../../shared/store/format/format.ts';
import { STEPS } from '../../shared/store/format/steps.ts';
import type { Store } from '../../shared/store/store.ts';
import { onBothForms } from './stores.ts';

type Row = Record<string, unknown> & { _id: string | number };

/** Writes at which it is killed on the server, all over them, others in each run; nightly all. Of the embedded form always all */
const KILLS = process.env.UPGRADE_KILLS === 'all' ? Number.POSITIVE_INFINITY : Number(process.env.UPGRADE_KILLS ?? 12);

const silent = { info() {} };
const at = '2026-11-23T00:00:00.000Z';
const COLLECTIONS = ['bookings', 'customers', 'events', 'former_customers', 'services', 'time_slots', 'store_format'];
/** Those of 0.1 that a step drops. */
const INDEXES: Record<string, Record<string, Record<string, 1>>> = {
	bookings: {
		relay_at: { relay_at: 1 },
		counted: { counted_under: 1, date: 1 },
		place_of_account: { account_id: 1, place: 1 },
		seat_key: { seat_key: 1 },
		idempotency_key: { idempotency_key: 1 },
	},
	customers: { deleted_at: { deleted_at: 1 } },
};

/** What 0.1 left: something for each step to do, and something that each has to leave as it is. */
function stored(): Record<string, Row[]> {
	const person = (n: number) => ({
		id: n,
		name: `Person ${n}`,
		email: `Person${n}@example.com`,
		phone: `+491573599000${n}`,
	});
	const booking = (_id: number, more: object): Row => ({
		...{ _id, account_id: 'acc_1', service_id: 9, time_slot_id: 1, date: '2027-07-05', status: 'pending', version: 1 },
		...{
			place: '',
			counted_under: 0,
			seat_key: `free:${_id}`,
			customer_key: `free:${_id}`,
			idempotency_key: `free:${_id}`,
		},
		...{ idempotency: null, customer: person(_id), outbox: [], relay_at: 0, deleted_at: null },
		...more,
	});
	const seated = (seat: number) => {
		const place = '1:2027-07-05';
		return { place, counted_under: 9, seat_key: `${place}:${seat}` };
	};
	const answer = { customer: person(8) }; // whom the booking was for at first
	const event = (n: number, more: object): Row => ({
		...{ _id: `evt_${n}_1`, account_id: 'acc_1', sequence: n, type: 'booking.created', appended_at: at },
		...{ data: { id: n, customer: person(n) }, ...more },
	});
	const times = { day_of_week: 1, start_time: '2026-01-05 09:00:00', end_time: '2026-01-05 10:00:00', max_bookings: 9 };
	return {
		services: [{ _id: 9, account_id: 'acc_1', timezone: 'Europe/Berlin' }],
		time_slots: [{ _id: 1, account_id: 'acc_1', service_id: 9, revision: 1, ...times, created_at: at, updated_at: at }],
		bookings: [
			booking(1, seated(0)),
			booking(2, { ...seated(12), date: '2027-07-12' }),
			booking(3, { status: 'cancelled' }),
			booking(4, { deleted_at: at, status: 'cancelled' }),
			booking(5, { deleted_at: at, status: 'cancelled', relay_at: 7 }),
			booking(6, { ...seated(2), idempotency_key: 'acc_1:booking.create:free:6', idempotency: { at: 1, answer } }),
		],
		customers: [
			...[1, 2, 3, 6].map((_id) => ({ _id, account_id: 'acc_1', version: 1, customer: person(_id), deleted_at: 0 })),
			{ _id: 4, account_id: 'acc_1', version: 2, customer: null, deleted_at: 5 },
		],
		events: [event(1, {}), event(4, {}), event(2, { previous: { customer: person(7) } })],
	};
}

const READS = new Set(['find', 'findOne', 'listIndexes', 'countDocuments', 'aggregate']);

/** How the process ends: nothing reaches the store any more, or one write does not, and what was sent beside it does. */
type End = 'at once' | 'one is lost';

class Killed extends Error {}

/**
 * What a process sees that ends at its nth write. A write of many documents is a write of each, as MongoDB carries it out.
 * @returns also which collections it wrote to
 */
function mortal(connection: Connection, nth: number, end: End) {
	/** The collection of each */
	const written: string[] = [];
	const isLost = (name: string) => {
		const count = written.push(name);
		return end === 'at once' ? count >= nth : count === nth;
	};
	const collection = (name: string) => {
		const real = connection.collection<Row>(name);
		return new Proxy(real, {
			get(target, property) {
				const own = Reflect.get(target, property) as unknown;
				if (typeof own !== 'function') return own;
				if (READS.has(String(property))) return own.bind(target);
				if (property === 'updateMany') return (filter: object, update: object) => each(name, filter, update);
				return async (...words: unknown[]) => {
					if (isLost(name)) throw new Killed();
					return (own as (...args: unknown[]) => unknown).apply(target, words);
				};
			},
		});
	};
	async function each(name: string, filter: object, update: object): Promise<void> {
		const real = connection.collection<Row>(name);
		const found = (await real.find(filter, { sort: { _id: 1 } }).toArray()) as unknown as Row[];
		for (const { _id } of found) {
			if (isLost(name)) throw new Killed();
			await real.updateOne({ ...filter, _id } as object, update);
		}
	}
	return { connection: { collection } as unknown as Connection, written };
}

onBothForms('a format that is brought forward, and killed', (open) => {
	let store: Store;

	/** As 0.1 left it. */
	async function begin(): Promise<void> {
		store ??= await open();
		for (const name of COLLECTIONS) await store.connection.collection(name).deleteMany({});
		for (const [name, rows] of Object.entries(stored())) {
			await store.connection.collection<Row>(name).insertMany(rows);
		}
		for (const [name, indexes] of Object.entries(INDEXES)) {
			for (const [index, key] of Object.entries(indexes)) {
				await store.connection.collection(name).createIndex(key, { name: index });
			}
		}
	}

	/** All that is there; a first answer's person is noted at a moment of its own. */
	async function seen(): Promise<unknown> {
		const all: Record<string, unknown> = {};
		for (const name of COLLECTIONS) {
			const collection = store.connection.collection<Row>(name);
			const rows = (await collection.find({}, { sort: { _id: 1 } }).toArray()) as Row[];
			all[name] = rows.map(({ noted_at, ...row }) => row);
			if (!(name in INDEXES)) continue;
			const indexes = (await collection.listIndexes().toArray()) as { name: string }[];
			all[`indexes of ${name}`] = indexes.map((index) => index.name).sort();
		}
		return all;
	}

	test('D3: When it is killed at each write of each step, and started again, then all is as if it had not been', async () => {
		await begin();
		const uses: number[] = [];
		const counting = mortal(store.connection, Number.POSITIVE_INFINITY, 'at once');
		for (const step of STEPS) {
			const from = counting.written.length;
			await bringForward(counting.connection, silent, STEPS.slice(0, STEPS.indexOf(step) + 1));
			uses.push(counting.written.slice(from).filter((name) => name !== 'store_format').length);
		}
		const writes = counting.written.length;
		process.stdout.write(`${store.form}: ${writes} writes, of the steps ${uses.join(', ')}\n`);
		expect(Math.min(...uses)).toBeGreaterThan(0);
		const whole = await seen();
		const every = store.form === 'embedded' ? 1 : Math.max(1, Math.round(writes / KILLS));
		const from = 1 + Math.floor(Math.random() * every);
		for (const end of ['at once', 'one is lost'] satisfies End[]) {
			for (let nth = from; nth <= writes; nth += every) {
				await begin();
				const dying = bringForward(mortal(store.connection, nth, end).connection, silent);
				await expect(dying).rejects.toThrow(Killed);
				await bringForward(store.connection, silent);
				expect([end, nth, await seen()]).toEqual([end, nth, whole]);
			}
		}
	});
});
