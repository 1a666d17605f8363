import { beforeEach, expect, test } from '@jest/globals';
import { bringForward } from '../../shared/store/format/format.ts';
import { STEPS, type Step } from '../../shared/store/format/steps.ts';
import type { Store } from '../../shared/store/store.ts';
import { onBothForms } from './stores.ts';

const silent = { info() {} };

onBothForms('the stored format', (open) => {
	let store: Store;
	beforeEach(async () => {
		store ??= await open();
		await store.connection.collection('store_format').deleteMany({});
		await store.connection.collection('bookings').deleteMany({});
	});
	const format = () => store.connection.collection('store_format').find({}).toArray();
	const recorded = (ran: number[], failsAt?: number): Step[] =>
		[2, 3, 4].map((to) => ({
			to,
			writable_from: Math.min(to, 3),
			what: `step ${to}`,
			async run() {
				ran.push(to);
				if (to === failsAt) throw new Error('killed');
			},
		}));

	test('D3: When a store is opened, then each step is done once, in order, and the format is noted', async () => {
		const ran: number[] = [];
		await bringForward(store.connection, silent, recorded(ran));
		await bringForward(store.connection, silent, recorded(ran));
		expect(ran).toEqual([2, 3, 4]);
		expect(await format()).toEqual([{ _id: 'format', version: 4, writable_from: 3 }]);
	});

	test('D3: When a step ends in the middle, then the next start begins with that step', async () => {
		const ran: number[] = [];
		await expect(bringForward(store.connection, silent, recorded(ran, 3))).rejects.toThrow('killed');
		expect(await format()).toEqual([{ _id: 'format', version: 2, writable_from: 2 }]);
		await bringForward(store.connection, silent, recorded(ran));
		expect(ran).toEqual([2, 3, 3, 4]);
	});

	test('D3: When several processes bring it forward at once, then all succeed', async () => {
		await Promise.all([1, 2, 3].map(() => bringForward(store.connection, silent, recorded([]))));
		expect(await format()).toEqual([{ _id: 'format', version: 4, writable_from: 3 }]);
	});

	test('D3: When a later release wrote it, then one that may still write beside it does, and an older one is refused', async () => {
		await bringForward(store.connection, silent, recorded([]));
		await bringForward(store.connection, silent, recorded([]).slice(0, 2));
		const older = bringForward(store.connection, silent, recorded([]).slice(0, 1));
		await expect(older).rejects.toThrow('The store is in format 4');
		expect(await format()).toEqual([{ _id: 'format', version: 4, writable_from: 3 }]);
	});

	test('D3: When tombstones of 0.1 are brought forward, then those that are delivered are marked, and nothing else', async () => {
		const bookings = store.connection.collection<{ _id: number }>('bookings');
		const row = (_id: number, deleted_at: string | null, relay_at: number) => ({
			...{ _id, account_id: 'acc_1', deleted_at, relay_at, place: '', counted_under: 0 },
			...{ seat_key: `free:${_id}`, customer_key: `c${_id}`, idempotency_key: `i${_id}` },
		});
		const deleted = '2026-11-23T00:00:00.000Z';
		await bookings.insertMany([row(1, null, 0), row(2, null, 5), row(3, deleted, 0), row(4, deleted, 5)]);
		const marks = async () => {
			const rows = await bookings.find({}, { sort: { _id: 1 } }).toArray();
			return rows.map((each) => (each as unknown as { relay_at: number }).relay_at);
		};
		for (let time = 1; time <= 2; time++) {
			for (const step of STEPS) await step.run(store.connection);
			expect(await marks()).toEqual([0, 5, -1, 5]);
		}
	});

	test('D3: When a key that means none is empty, then those of bookings with a key stay', async () => {
		const bookings = store.connection.collection<{ _id: number }>('bookings');
		await bookings.deleteMany({});
		const row = (_id: number, idempotency_key: string) => ({
			...{ _id, account_id: 'acc_1', place: '', counted_under: 0, customer_key: `free:${_id}`, idempotency_key },
			...{ relay_at: 0, deleted_at: null },
		});
		await bookings.insertMany([row(1, 'free:1'), row(2, 'acc_1:booking.create:free:2'), row(3, 'free:3'), row(4, '')]);
		for (let time = 1; time <= 2; time++) {
			for (const step of STEPS) await step.run(store.connection);
			const rows = (await bookings.find({}, { sort: { _id: 1 } }).toArray()) as unknown as Record<string, unknown>[];
			expect(rows.map((each) => each.idempotency_key)).toEqual(['', 'acc_1:booking.create:free:2', '', '']);
			expect(rows.map((each) => each.customer_key)).toEqual(['free:1', 'free:2', 'free:3', 'free:4']);
		}
	});

	test('D3: When a seat is a number, then each booking has the one that it held, and one without a seat has none', async () => {
		const bookings = store.connection.collection<{ _id: number }>('bookings');
		await bookings.deleteMany({});
		const row = (_id: number, place: string, seat: { seat?: number | null; seat_key: string }) => ({
			...{ _id, account_id: 'acc_1', place, counted_under: place === '' ? 0 : 1, ...seat },
			...{ customer_key: `c${_id}`, idempotency_key: `i${_id}`, relay_at: 0, deleted_at: null },
		});
		await bookings.insertMany([
			row(1, '1:2027-01-04', { seat_key: '1:2027-01-04:0' }), // of 0.1
			row(2, '1:2027-01-04', { seat_key: '1:2027-01-04:12', seat: 12 }),
			row(3, '', { seat_key: 'free:3', seat: null }),
			row(4, '', { seat_key: '2:2027-01-04:3', seat: 3 }), // deleted with its service
		]);
		for (let time = 1; time <= 2; time++) {
			for (const step of STEPS) await step.run(store.connection);
			const rows = (await bookings.find({}, { sort: { _id: 1 } }).toArray()) as { seat?: number; seat_key?: string }[];
			expect(rows.map(({ seat, seat_key }) => [seat, seat_key])).toEqual([
				[0, undefined],
				[12, undefined],
				[-1, undefined],
				[-1, undefined],
			]);
		}
	});

	test('B1: When bookings do not say when they are, then they do by their slots as they are now, once, and a stranger learns nothing', async () => {
		const collection = (name: string) => store.connection.collection<{ _id: number }>(name);
		const at = '2026-11-23T00:00:00.000Z';
		const times = { start_time: '2026-01-05 09:00:00', end_time: '2026-01-05 10:00:00', max_bookings: 3 };
		const slot = { account_id: 'acc_1', service_id: 9, day_of_week: 1, ...times, created_at: at, updated_at: at };
		const set = { ...times, start_time: '2026-01-05 08:30:00', day_of_week: 1, updated_at: at };
		for (const name of ['time_slots', 'services', 'slot_updates']) await collection(name).deleteMany({});
		await collection('services').insertOne({ _id: 9, account_id: 'acc_1', timezone: 'Europe/Berlin' } as never);
		await collection('time_slots').insertMany([
			{ _id: 1, ...slot, state: 'active', revision: 1 },
			{ _id: 2, ...slot, state: 'active', revision: 4 },
		] as never[]);
		const update = { _id: 'acc_1', open_since: 5, changes: [{ slot_id: 2, revision: 4, set }] };
		await store.connection.collection('slot_updates').insertOne(update as never);
		const row = (_id: number, account_id: string, time_slot_id: number) => ({
			...{ _id, account_id, time_slot_id, date: '2027-07-05', deleted_at: null, relay_at: 0 },
			...{ seat_key: `free:${_id}`, customer_key: `c${_id}`, idempotency_key: `i${_id}` },
		});
		const rows = [row(1, 'acc_1', 1), row(2, 'acc_1', 2), row(3, 'acc_2', 1), row(4, 'acc_1', 77)];
		await collection('bookings').insertMany(rows);
		const promised = async () => {
			const found = await collection('bookings')
				.find({}, { sort: { _id: 1 } })
				.toArray();
			return (found as { promised?: { starts_at: string }; starts_ms?: number }[]).map((each) => [
				each.promised?.starts_at,
				each.starts_ms,
			]);
		};
		for (let time = 1; time <= 2; time++) {
			for (const step of STEPS) await step.run(store.connection);
			expect(await promised()).toEqual([
				['2027-07-05T09:00:00+02:00', Date.parse('2027-07-05T07:00:00Z')],
				['2027-07-05T08:30:00+02:00', Date.parse('2027-07-05T06:30:00Z')],
				[undefined, undefined],
				[undefined, undefined],
			]);
			await collection('time_slots').updateOne({ _id: 1 }, { $set: { start_time: '2026-01-05 07:00:00' } } as never);
		}
	});
});
