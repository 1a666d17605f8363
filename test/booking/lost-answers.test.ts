import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { MongoNetworkError } from 'mongodb';
import type { Booking } from '../../shared/contract/schemas/booking.ts';
import { until } from '../support/until.ts';
import { ACCOUNT, MONDAY, NEXT_MONDAY, onBothStores, outcome, World } from './engines.ts';

type Write = (...args: unknown[]) => Promise<unknown>;
type Fault = (write: () => Promise<unknown>) => Promise<unknown>;

/** A write's answer is lost for one process, while another one goes on with the booking. */
onBothStores('X2: refused means that nothing happened, and nothing will', (form) => {
	let world: World;
	let restore = () => {};
	const call = (engine: number): World['engines'][number]['call'] => world.engines[engine]!.call;
	const book = async (time_slot_id: number, more: Record<string, unknown> = {}): Promise<Booking> =>
		(await call(1)('create', { body: { date: MONDAY, time_slot_id, ...more } })).data;
	const patch = (engine: number, id: number, body: Record<string, unknown>, more: Record<string, unknown> = {}) =>
		call(engine)('update', { booking_id: id, body, ...more });
	const ifMatch = (version: number) => ({ if_match: [version] });

	/** What happens to the first changes of bookings from now on, one each; all else is carried out, such as the relay's writes. */
	function next(method: 'insertMany' | 'updateOne', ...faults: Fault[]): void {
		const collection = world.store.connection.collection('bookings') as unknown as Record<string, Write>;
		const original = collection[method]!;
		collection[method] = (...args) => {
			const isChange = method === 'insertMany' || 'write_id' in (args[1] as { $set: object }).$set;
			const fault = isChange ? faults.shift() : undefined;
			return fault ? fault(() => original.apply(collection, args)) : original.apply(collection, args);
		};
		restore = () => {
			delete collection[method];
			if (collection[method] !== original) collection[method] = original;
		};
	}

	/** The write is carried out, then something else happens, then its answer is lost. */
	const lostAfter =
		(meanwhile: () => Promise<unknown>): Fault =>
		async (write) => {
			await write();
			await meanwhile();
			throw new MongoNetworkError('connection reset');
		};

	const stored = (id: number) => world.bookings.findOne({ account_id: ACCOUNT, _id: id }).lean();
	async function eventsOf(id: number, count: number) {
		const found = () => world.events.filter(({ data }) => data.id === id);
		await until(() => found().length >= count, { what: `${count} events` });
		return found().sort((a, b) => a.data.version - b.data.version);
	}

	beforeAll(async () => {
		world = await World.start(form, 2);
	});
	afterEach(() => restore());
	afterAll(() => world.stop());

	test('When another process changed the booking since, then an If-Match that was right is not told 412', async () => {
		const { id } = await book(world.addSlot(1).id);
		next(
			'updateOne',
			lostAfter(() => patch(1, id, { message: 'theirs' })),
		);
		const mine = await patch(0, id, { message: 'mine' }, ifMatch(1));
		expect([mine.version, mine.message]).toEqual([2, 'mine']);
		expect((await eventsOf(id, 3)).map(({ data }) => data.message)).toEqual([null, 'mine', 'theirs']);
	});

	test('When another process cancelled the booking since, then the cancelling stands, and the change is made once', async () => {
		const { id } = await book(world.addSlot(1).id);
		next(
			'updateOne',
			lostAfter(() => patch(1, id, { status: 'cancelled', cancel_reason: 'ill' })),
		);
		expect((await patch(0, id, { status: 'confirmed' })).version).toBe(2);
		const after = (await stored(id))!;
		expect([after.version, after.status]).toEqual([3, 'cancelled']);
	});

	test('When another process deleted the booking since, then a change that was made is not told 404', async () => {
		const { id } = await book(world.addSlot(1).id);
		next(
			'updateOne',
			lostAfter(() => call(1)('delete', { booking_id: id })),
		);
		expect((await patch(0, id, { message: 'mine' })).version).toBe(2);
	});

	test('When the event of a delete is delivered before its answer is lost, then it is not told 404', async () => {
		const { id } = await book(world.addSlot(1).id);
		const relayed = async () => {
			await until(async () => ((await stored(id))?.relay_at ?? 0) <= 0, { what: 'the delivery' });
		};
		next('updateOne', lostAfter(relayed));
		expect(await outcome(call(0)('delete', { booking_id: id }))).toBe('ok');
		expect((await eventsOf(id, 2)).map(({ type }) => type)).toEqual(['booking.created', 'booking.deleted']);
	});

	test('When others took the seat after a move left it again, then the move that was made is not told full', async () => {
		const slot = world.addSlot(1);
		const { id } = await book(slot.id);
		next(
			'updateOne',
			lostAfter(async () => {
				await patch(1, id, { date: MONDAY });
				await book(slot.id, { date: NEXT_MONDAY });
			}),
		);
		expect(await outcome(patch(0, id, { date: NEXT_MONDAY }))).toBe('ok');
		expect((await stored(id))!.version).toBe(3);
	});

	test('When a refused change is still on its way to the store, then it never lands', async () => {
		const slot = world.addSlot(5);
		const other = await book(slot.id, { customer_email: 'taken@example.com' });
		const { id } = await book(slot.id, { customer_email: 'own@example.com' });
		let late: (() => Promise<unknown>) | undefined;
		next('updateOne', async (write) => {
			late = write;
			throw new MongoNetworkError('connection reset');
		});
		const change = call(0)('updateCustomer', { booking_id: id, body: { email: 'taken@example.com' } });
		expect(await outcome(change)).toBe('duplicate booking');
		await call(1)('delete', { booking_id: other.id });
		await late!();
		const after = (await stored(id))!;
		expect([after.version, after.customer.email]).toEqual([1, 'own@example.com']);
	});

	test('When more changes came between than a booking remembers, then the outcome is unknown, not refused', async () => {
		const { id } = await book(world.addSlot(1).id);
		next(
			'updateOne',
			lostAfter(async () => {
				for (let number = 0; number < 25; number++) await patch(1, id, { message: `${number}` });
			}),
		);
		expect(await outcome(patch(0, id, { message: 'mine' }, ifMatch(1)))).toBe('gateway timeout');
		expect((await stored(id))!.version).toBe(27);
	});

	test('When changes that share a write get no answer at all, then none of them is made twice', async () => {
		const { id } = await book(world.addSlot(1).id);
		const lost = lostAfter(async () => {});
		const first = patch(0, id, { message: 'first' }); // under way while the others queue
		const folded = ['a', 'b', 'c'].map((message) => patch(0, id, { message }, message === 'a' ? ifMatch(2) : {}));
		next('updateOne', lost, lost, lost, lost, lost, lost);
		expect((await first).version).toBe(2);
		expect((await Promise.all(folded)).map(({ version }) => version)).toEqual([3, 4, 5]);
		expect((await stored(id))!.version).toBe(5);
	});

	test('When another process cancels a booking whose creation got no answer yet, then it is acknowledged and counted', async () => {
		const slot = world.addSlot(2);
		world.quotaLeft = 10;
		const cancel = async () => {
			const [made] = await world.bookings.find({ account_id: ACCOUNT, time_slot_id: slot.id }).lean();
			await patch(1, made!._id, { status: 'cancelled', cancel_reason: 'ill' });
		};
		next('insertMany', lostAfter(cancel));
		const created = await outcome(call(0)('create', { body: { date: MONDAY, time_slot_id: slot.id } }));
		const left = world.quotaLeft;
		world.quotaLeft = Number.POSITIVE_INFINITY;
		expect([created, left]).toEqual(['ok', 9]);
	});

	test('When another process deletes a booking whose creation got no answer yet, then it is acknowledged and counted', async () => {
		const slot = world.addSlot(2);
		world.quotaLeft = 10;
		const remove = async () => {
			const [made] = await world.bookings.find({ account_id: ACCOUNT, time_slot_id: slot.id }).lean();
			await call(1)('delete', { booking_id: made!._id });
			await eventsOf(made!._id, 2);
			await until(async () => ((await stored(made!._id))?.relay_at ?? 0) <= 0, { what: 'the delivery' });
		};
		next('insertMany', lostAfter(remove));
		const created = await outcome(call(0)('create', { body: { date: MONDAY, time_slot_id: slot.id } }));
		const left = world.quotaLeft;
		world.quotaLeft = Number.POSITIVE_INFINITY;
		expect([created, left]).toEqual(['ok', 9]);
	});
});

onBothStores('X16: a lost answer costs no quota', (form) => {
	let world: World;
	const book = (time_slot_id: number) =>
		outcome(world.engines[0]!.call('create', { body: { date: MONDAY, time_slot_id } }));

	beforeAll(async () => {
		world = await World.start(form, 1);
	});
	afterAll(() => world.stop());

	test('When answers to reservations are lost, then what was reserved is given back', async () => {
		const slot = world.addSlot(100);
		world.quotaLeft = 20;
		world.lostReservations = 5;
		const outcomes = [];
		for (let count = 0; count < 10; count++) outcomes.push(await book(slot.id));
		const made = outcomes.filter((word) => word === 'ok').length;
		expect(made).toBeGreaterThan(0);
		await until(() => world.quotaLeft === 20 - made, { what: 'the rest to be given back' });
		const rest = await Promise.all(Array.from({ length: 30 }, () => book(slot.id)));
		expect(rest.filter((word) => word === 'ok')).toHaveLength(20 - made);
		expect(await world.active(slot)).toBe(20);
	});

	test('When a creation’s outcome is not known by its deadline, then it is looked for until it is', async () => {
		const slot = world.addSlot(100);
		world.quotaLeft = 5;
		const collection = world.store.connection.collection('bookings') as unknown as Record<string, Write>;
		const original = collection.insertMany!;
		collection.insertMany = () => Promise.reject(new MongoNetworkError('connection reset'));
		const create = { account_id: ACCOUNT, body: { date: MONDAY, time_slot_id: slot.id } };
		const { broker } = world.engines[0]!;
		expect(await outcome(broker.call('booking.create', create, { timeout: 2_000 }))).not.toBe('ok');
		expect(world.quotaLeft).toBe(4);
		delete collection.insertMany;
		if (collection.insertMany !== original) collection.insertMany = original;
		await until(() => world.quotaLeft === 5, { what: 'the reservation to be given back' });
		expect(await world.active(slot)).toBe(0);
	});
});
