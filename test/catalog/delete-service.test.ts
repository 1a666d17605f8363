import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { MongoNetworkError } from 'mongodb';
import { Sweep } from '../../services/catalog/sweep.ts';
import { newService, onBothStores, slots, World } from './catalog-world.ts';
import { deaths } from './crash.ts';

onBothStores('deleting a service', (form) => {
	let world: World;
	beforeAll(async () => {
		world = await World.start(form, 2);
	});
	afterAll(() => world.stop());

	const newOne = async (limit: number | null = null) => {
		const account_id = world.account(limit);
		const { data } = await world.catalog.call('createService', { account_id, body: newService(slots(3)) });
		const service_id = data.id;
		const list = { account_id, service_id, page: 1, page_size: 20, all: false };
		const { time_slots } = await world.catalog.call('listSlots', list);
		return { account_id, service_id, time_slots };
	};
	const closings = (service_id: number) => world.closed.filter((closing) => closing.service_id === service_id);
	const remove = (params: { account_id: string; service_id: number; if_match?: number[] }) =>
		world.catalog.call('deleteService', params);
	const answered = (params: { account_id: string; service_id: number }) =>
		world.catalog.call('deletionAnswered', params);
	const settle = async () => {
		const sweep = new Sweep(world.records, world.catalog.broker);
		await sweep.run();
		world.clock.advance(61_000);
		await sweep.run();
	};

	test('When a service is deleted, then it and its slots are gone for every reader, and booking was told the slots', async () => {
		const { account_id, service_id, time_slots } = await newOne();
		const other = await world.catalog.call('createService', { account_id, body: newService(slots(1)) });
		expect(await remove({ account_id, service_id })).toBe('ok');
		expect(closings(service_id)).toEqual([{ account_id, service_id, slots: time_slots, timezone: 'Europe/Berlin' }]);
		const keys = time_slots.map(({ id }) => ({ account_id, time_slot_id: id }));
		for (const catalog of world.catalogs.slice(0, 2)) {
			expect(await catalog.call('slots', { slots: keys })).toEqual([null, null, null]);
			await expect(catalog.call('getService', { account_id, service_id })).rejects.toMatchObject({ code: 404 });
			const { services, pagination } = await catalog.call('listServices', { account_id, page: 1, page_size: 20 });
			expect(services.map(({ id }) => id)).toEqual([other.data.id]);
			expect(pagination.total_items).toBe(1);
			const list = await catalog.call('listSlots', { account_id, page: 1, page_size: 20, all: false });
			expect(list.time_slots.map((slot) => slot.service_id)).toEqual([other.data.id]);
		}
		await answered({ account_id, service_id });
		await expect(remove({ account_id, service_id })).rejects.toMatchObject({ type: 'service_not_found' });
		expect(closings(service_id)).toHaveLength(1);
	});

	test('When If-Match names another version, then nothing is deleted', async () => {
		const { account_id, service_id } = await newOne();
		await expect(remove({ account_id, service_id, if_match: [2] })).rejects.toMatchObject({ code: 412 });
		expect(await remove({ account_id, service_id, if_match: [1] })).toBe('ok');
	});

	test('When booking cannot be reached, then the service is gone all the same, and a repeated DELETE finishes it', async () => {
		const { account_id, service_id, time_slots } = await newOne(1);
		world.bookingIsDown = true;
		await expect(remove({ account_id, service_id })).rejects.toMatchObject({ type: 'service_unavailable' });
		await expect(remove({ account_id, service_id })).rejects.toMatchObject({ type: 'service_unavailable' });
		await expect(world.catalog.call('getService', { account_id, service_id })).rejects.toMatchObject({ code: 404 });
		const mayHaveBookings = () => world.catalog.call('serviceIds', { account_id });
		expect(await mayHaveBookings()).toEqual([service_id]); // a list leaves out no booking that is shown, and can be moved
		const keys = time_slots.map(({ id }) => ({ account_id, time_slot_id: id }));
		expect(await world.catalog.call('slots', { slots: keys })).toEqual([null, null, null]);
		await expect(world.catalog.call('createService', { account_id, body: newService() })).resolves.toMatchObject({
			replayed: false,
		});
		world.bookingIsDown = false;
		expect(await remove({ account_id, service_id, if_match: [1] })).toBe('ok');
		expect(closings(service_id)).toEqual([{ account_id, service_id, slots: time_slots, timezone: 'Europe/Berlin' }]);
		expect(await mayHaveBookings()).not.toContain(service_id);
		await answered({ account_id, service_id });
		await expect(remove({ account_id, service_id })).rejects.toMatchObject({ type: 'service_not_found' });
	});

	test('When nobody repeats the DELETE, then the sweep finishes it, and it can be repeated until it was answered', async () => {
		const { account_id, service_id } = await newOne();
		world.bookingIsDown = true;
		await expect(remove({ account_id, service_id })).rejects.toMatchObject({ type: 'service_unavailable' });
		await expect(settle()).rejects.toBeInstanceOf(AggregateError);
		world.bookingIsDown = false;
		await settle();
		expect(closings(service_id).length).toBeGreaterThan(0);
		expect(await world.documents.slots.countDocuments({ account_id })).toBe(0);
		for (let repeat = 0; repeat < 2; repeat++) expect(await remove({ account_id, service_id })).toBe('ok');
		await answered({ account_id, service_id });
		await expect(remove({ account_id, service_id })).rejects.toMatchObject({ type: 'service_not_found' });
	});

	test('X17: When a process dies at any write of a deletion, then a repeated DELETE answers ok, or the service is still whole', async () => {
		for (const [nth, when] of deaths()) {
			const { account_id, service_id, time_slots } = await newOne();
			if (!(await world.callAndDie('deleteService', { account_id, service_id }, nth, when))) {
				expect(nth).toBe(7); // stamp, new slots, active slots, two for no more bulk updates, noted, slots’ documents
				break;
			}
			expect(await remove({ account_id, service_id })).toBe('ok');
			expect(closings(service_id)[0]?.slots).toEqual(time_slots);
			await settle();
			expect(await world.documents.slots.countDocuments({ account_id })).toBe(0);
		}
	});

	/** The answer of the next write of a service is lost. @returns the write itself, to be carried out late */
	const loseNext = (carriedOut: boolean) => {
		const services = world.store.connection.collection('services') as unknown as Record<string, unknown>;
		const { updateOne } = services as { updateOne: (...args: unknown[]) => Promise<unknown> };
		const lost = { late: async (): Promise<unknown> => undefined };
		services.updateOne = async (...args: unknown[]) => {
			services.updateOne = updateOne;
			lost.late = () => updateOne.apply(services, args);
			if (carriedOut) await lost.late();
			throw new MongoNetworkError('connection reset');
		};
		return lost;
	};

	test('X2: When the answer of the stamp is lost, then the DELETE finds out, and leaves nothing that lands later', async () => {
		for (const carriedOut of [true, false]) {
			const { account_id, service_id, time_slots } = await newOne();
			const lost = loseNext(carriedOut);
			expect(await remove({ account_id, service_id, if_match: [1] })).toBe('ok');
			expect(closings(service_id)).toEqual([{ account_id, service_id, slots: time_slots, timezone: 'Europe/Berlin' }]);
			const stored = () => world.documents.services.findOne({ account_id, _id: service_id }).lean();
			const after = await stored();
			await lost.late();
			expect(await stored()).toEqual(after);
		}
	});

	test('When two processes delete one service at once, then every answer is ok or 404, and it is gone', async () => {
		const { account_id, service_id } = await newOne();
		const answers = await Promise.allSettled(
			[0, 1, 0, 1].map((index) => world.catalogs[index]!.call('deleteService', { account_id, service_id })),
		);
		expect(answers.some(({ status }) => status === 'fulfilled')).toBe(true);
		for (const answer of answers) {
			if (answer.status === 'rejected') expect(answer.reason).toMatchObject({ type: 'service_not_found' });
		}
		expect(await world.documents.slots.countDocuments({ account_id })).toBe(0);
	});

	test('When a bulk update was committed by a dead process, then a deletion carries it out before it tells booking', async () => {
		const { account_id, service_id, time_slots } = await newOne();
		const body = { time_slots: time_slots.map(({ id }) => ({ id, max_bookings: 77 })) };
		expect(await world.callAndDie('updateSlots', { account_id, body }, 3, 'before')).toBe(true);
		await remove({ account_id, service_id });
		expect(closings(service_id)[0]?.slots.map(({ max_bookings }) => max_bookings)).toEqual([77, 77, 77]);
	});
});
