import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { MongoNetworkError } from 'mongodb';
import { BookingStore } from '../../services/booking/document/booking-store.ts';
import { customerKey } from '../../services/booking/document/keys.ts';
import type { Booking } from '../../shared/contract/schemas/booking.ts';
import { systemClock } from '../../shared/engine/clock.ts';
import { until } from '../support/until.ts';
import { ACCOUNT, MONDAY, onBothStores, outcome, World } from './engines.ts';

type Write = (...args: unknown[]) => Promise<unknown>;

onBothStores('booking when the store leaves a write’s outcome open', (form) => {
	let world: World;
	let restore = () => {};
	const book = (time_slot_id: number, more: Record<string, unknown> = {}) =>
		world.engines[0]!.call('create', { body: { date: MONDAY, time_slot_id, ...more } });

	/** Replaces a write of the bookings' collection until the test ends. */
	function intercept(
		method: 'insertMany' | 'updateOne',
		wrapper: (write: Write, args: unknown[]) => Promise<unknown>,
	): void {
		const collection = world.store.connection.collection('bookings') as unknown as Record<string, Write>;
		const original = collection[method]!;
		const write: Write = (...args) => original.apply(collection, args);
		collection[method] = (...args) => wrapper(write, args);
		restore = () => {
			delete collection[method];
			if (collection[method] !== original) collection[method] = original;
		};
	}

	const lost = () => new MongoNetworkError('connection reset');

	beforeAll(async () => {
		world = await World.start(form, 1);
	});
	afterEach(() => restore());
	afterAll(() => world.stop());

	test('When the insert went through and its answer was lost, then the booking is acknowledged, once', async () => {
		const slot = world.addSlot(5);
		let calls = 0;
		intercept('insertMany', async (write, args) => {
			const result = await write(...args);
			if (++calls === 1) throw lost();
			return result;
		});
		expect(await outcome(book(slot.id))).toBe('ok');
		expect(await world.active(slot)).toBe(1);
	});

	test('X16: When the booking that made it cannot be seen at first, then it is acknowledged all the same, and counted', async () => {
		const slot = world.addSlot(5);
		world.quotaLeft = 1;
		let calls = 0;
		intercept('insertMany', async (write, args) => {
			const result = await write(...args);
			if (++calls === 1) throw lost();
			return result;
		});
		const collection = world.store.connection.collection('bookings') as unknown as Record<string, Write>;
		const { findOne } = collection as { findOne: Write };
		let hidden = 0;
		collection.findOne = async (...args) => (hidden++ === 0 ? null : findOne.apply(collection, args));
		try {
			expect(await outcome(book(slot.id))).toBe('ok');
		} finally {
			delete collection.findOne;
			if (collection.findOne !== findOne) collection.findOne = findOne;
		}
		expect(hidden).toBeGreaterThan(1);
		expect(world.quotaLeft).toBe(0);
		expect(await world.active(slot)).toBe(1);
	});

	test('When the insert never arrived, then the client is told so, and the quota is given back', async () => {
		const slot = world.addSlot(5);
		let calls = 0;
		world.quotaLeft = 1;
		intercept('insertMany', async (write, args) => {
			if (++calls === 1) throw lost();
			return write(...args);
		});
		expect(await outcome(book(slot.id))).toBe('service unavailable');
		restore();
		expect(await outcome(book(slot.id))).toBe('ok');
		world.quotaLeft = Number.POSITIVE_INFINITY;
		expect(await world.active(slot)).toBe(1);
	});

	test('R7: When it is not known whether the service of a booking that was made is deleted, then it is counted', async () => {
		const slot = world.addSlot(5);
		world.quotaLeft = 2;
		const closures = world.store.connection.collection('closures') as unknown as Record<string, unknown>;
		const { find } = closures;
		closures.find = () => ({ toArray: () => Promise.reject(lost()) });
		try {
			expect(await outcome(book(slot.id))).toBe('service unavailable');
		} finally {
			delete closures.find;
			if (closures.find !== find) closures.find = find;
		}
		expect(await world.active(slot)).toBe(1);
		const more = await Promise.all([1, 2, 3].map(() => outcome(book(slot.id))));
		world.quotaLeft = Number.POSITIVE_INFINITY;
		expect(more.filter((word) => word === 'ok')).toHaveLength(1);
		expect(await world.active(slot)).toBe(2);
	});

	test('L10: When of one write one booking meets a taken key and another’s outcome is open, then each is told its own', async () => {
		const slots = [world.addSlot(5), world.addSlot(5)];
		let calls = 0;
		intercept('insertMany', async (write, args) => {
			const documents = args[0] as { time_slot_id: number }[];
			if (++calls > 1 || documents.length < 2) return write(...args);
			const indexOf = (slot: { id: number }) => documents.findIndex(({ time_slot_id }) => time_slot_id === slot.id);
			const writeErrors = [
				{ index: indexOf(slots[0]!), code: 11_000 },
				{ index: indexOf(slots[1]!), code: 50 },
			];
			const details = { name: 'MongoBulkWriteError', code: 11_000, writeErrors, result: { insertedCount: 0 } };
			throw Object.assign(new Error('E11000'), details);
		});
		const outcomes = await Promise.all(slots.map(({ id }) => outcome(book(id))));
		expect(calls).toBeGreaterThan(1);
		expect(outcomes).toEqual(['ok', 'service unavailable']);
	});

	test('When the id of a booking whose insert was lost is an older one’s, then it is not acknowledged', async () => {
		const slots = [world.addSlot(5), world.addSlot(5)];
		const { data } = await book(slots[0]!.id);
		intercept('insertMany', async (write, args) => {
			const [document] = args[0] as { _id: number; relay_at: number }[];
			if (document!.relay_at < 0) return write(...args); // its fence
			document!._id = data.id; // as of a counter that is older than the bookings
			throw lost();
		});
		expect(await outcome(book(slots[1]!.id))).toBe('service unavailable');
		expect(await world.active(slots[0]!)).toBe(1);
	});

	test('When a refused insert lands late, then the tombstone in its place keeps it out', async () => {
		const slot = world.addSlot(1);
		let late: (() => Promise<unknown>) | undefined;
		intercept('insertMany', async (write, args) => {
			if (late === undefined) {
				const documents = structuredClone(args[0]);
				late = () => write(documents, args[1]);
				throw lost();
			}
			return write(...args);
		});
		expect(await outcome(book(slot.id))).toBe('service unavailable');
		await expect(late!()).rejects.toThrow();
		expect(await world.active(slot)).toBe(0);
		expect(await outcome(book(slot.id))).toBe('ok');
	});

	test('When the answer to a change was lost, then it is made once', async () => {
		const slot = world.addSlot(1);
		const { data } = await book(slot.id);
		let calls = 0;
		intercept('updateOne', async (write, args) => {
			const result = await write(...args);
			if (++calls === 1) throw lost();
			return result;
		});
		const changed = await world.engines[0]!.call('update', { booking_id: data.id, body: { status: 'confirmed' } });
		expect([changed.version, changed.status]).toEqual([2, 'confirmed']);
		await until(async () => world.events.some(({ id }) => id === `evt_${data.id}_2`));
		expect(world.events.filter((event) => event.data.id === data.id)).toHaveLength(2);
	});

	test('L2: A second booking of a seat, of a customer and of a key is refused by the store alone', async () => {
		const slot = world.addSlot(5);
		const email = 'ada@example.com';
		const idempotency = { key: 'direct', fingerprint: 'f' };
		const { data } = await world.engines[0]!.call('create', {
			body: { date: MONDAY, time_slot_id: slot.id, customer_email: email },
			idempotency,
		});
		const first = (await world.bookings.findOne({ account_id: ACCOUNT, _id: data.id }).lean())!;
		expect(first.customer_key).toBe(
			customerKey({ time_slot_id: slot.id, date: MONDAY, customer: { email, phone: null } }),
		);
		const free = (id: number) => ({ seat: id, customer_key: `free:${id}`, idempotency_key: '' });
		for (const [n, key] of (['seat', 'customer_key', 'idempotency_key'] as const).entries()) {
			const _id = 1_000_000 + n;
			const copy = { ...first, _id, ...free(_id), [key]: first[key] };
			await expect(world.bookings.insertMany([copy], { lean: true })).rejects.toMatchObject({ code: 11_000 });
		}
	});

	test('When the event log is down, then booking goes on, and the events follow once it is back', async () => {
		const slot = world.addSlot(3);
		world.logIsDown = true;
		const ids = await Promise.all([1, 2, 3].map(async () => (await book(slot.id)).data.id));
		expect(world.events.some(({ data }) => ids.includes(data.id))).toBe(false);
		world.logIsDown = false;
		await until(async () => ids.every((id) => world.events.some((event) => event.id === `evt_${id}_1`)));
		await until(
			async () =>
				(await world.bookings.countDocuments({ account_id: ACCOUNT, _id: { $in: ids }, relay_at: { $gt: 0 } })) === 0,
		);
	});

	test('When bookings change before their creation is told, then each event says what the booking was then, once', async () => {
		const slot = world.addSlot(3);
		world.logIsDown = true;
		const created = await Promise.all([1, 2].map(async () => (await book(slot.id)).data));
		const [twice, removed] = created as [Booking, Booking];
		const engine = world.engines[0]!;
		for (const message of ['first', 'second']) {
			await engine.call('update', { booking_id: twice.id, body: { message } });
		}
		const kept = await world.bookings.findOne({ account_id: ACCOUNT, _id: removed.id }).lean();
		expect(kept!.outbox.map(({ data }) => data)).toEqual([undefined]);
		const store = new BookingStore(world.store.connection, systemClock);
		await store.all.deleteWithService(removed.service_id, [removed.id], Date.now() + 5_000);
		world.logIsDown = false;
		const told = (id: number) => world.events.filter((event) => event.data.id === id);
		await until(() => told(twice.id).length >= 3 && told(removed.id).length >= 2);
		expect(told(twice.id).map(({ id, data, previous }) => [id, data.version, data.message, previous])).toEqual([
			[`evt_${twice.id}_1`, 1, twice.message, {}],
			[`evt_${twice.id}_2`, 2, 'first', { message: twice.message }],
			[`evt_${twice.id}_3`, 3, 'second', { message: 'first' }],
		]);
		expect(told(twice.id)[0]!.data).toEqual(twice);
		expect(told(removed.id)[0]!.data).toEqual(removed);
		expect(told(removed.id)[1]).toMatchObject({ id: `evt_${removed.id}_2`, type: 'booking.deleted' });
	});
});
