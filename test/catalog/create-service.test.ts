import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Result } from '../../shared/contract/actions.ts';
import { newService, onBothStores, slot, slots, World } from './catalog-world.ts';

onBothStores('creating a service', (form) => {
	let world: World;
	beforeAll(async () => {
		world = await World.start(form, 3);
	});
	afterAll(() => world.stop());

	test('When a service is created, then the answer has every field, and it and its slots are there', async () => {
		const account_id = world.account();
		const time_slots = [slot(), slot({ day_of_week: 0, max_bookings: 10_000 })];
		const { data, replayed } = await world.catalog.call('createService', { account_id, body: newService(time_slots) });
		expect(replayed).toBe(false);
		expect(Object.keys(data)).toEqual([
			'id',
			'name',
			'description',
			'timezone',
			'rules',
			'metadata',
			'bookings_count',
			'provider',
			'provider_id',
			'version',
			'created_at',
			'updated_at',
		]);
		expect(data).toMatchObject({ description: null, bookings_count: 0, provider_id: account_id, version: 1 });
		expect(data.provider.package.name).toBe('Developer');
		expect(data.created_at).toBe('2026-11-21T09:30:00.000Z');
		expect(await world.catalog.call('getService', { account_id, service_id: data.id })).toEqual(data);
		const list = await listSlots(world, account_id, data.id);
		expect(list.time_slots).toMatchObject(time_slots);
		expect(list.time_slots.map((each) => each.service_id)).toEqual([data.id, data.id]);
	});

	test('When 500 slots are given, then they are listed in the order given', async () => {
		const account_id = world.account();
		const given = slots(500);
		const { data } = await world.catalog.call('createService', { account_id, body: newService(given) });
		expect((await listSlots(world, account_id, data.id)).time_slots).toMatchObject(given);
	});

	test('When fields are well-formed but no service can have them, then each is named and nothing is written', async () => {
		const account_id = world.account();
		const bad = [slot(), slot({ end_time: '2026-01-05 09:00:00' }), slot({ end_time: '2025-01-05 10:00:00' })];
		const body = newService(bad, { timezone: 'Mars/Base' });
		await expect(world.catalog.call('createService', { account_id, body })).rejects.toMatchObject({
			type: 'unprocessable',
			code: 422,
			message:
				'timezone: "Mars/Base" is not an IANA time zone; time_slots[1].end_time: must be after start_time; time_slots[2].end_time: must be after start_time',
		});
		expect(await world.documents.slots.countDocuments({ account_id })).toBe(0);
		expect(await world.documents.services.countDocuments({ account_id })).toBe(0);
	});

	test('A4: When another account asks for a service or its slots, then they are not found', async () => {
		const [account_id, other] = [world.account(), world.account()];
		const { data } = await world.catalog.call('createService', { account_id, body: newService([slot()]) });
		const service_id = data.id;
		for (const ask of [
			() => world.catalog.call('getService', { account_id: other, service_id }),
			() => world.catalog.call('updateService', { account_id: other, service_id, body: { name: 'Mine' } }),
			() => world.catalog.call('deleteService', { account_id: other, service_id }),
			() => listSlots(world, other, service_id),
			() =>
				world.catalog.call('occurrences', {
					account_id: other,
					service_id,
					from: '2026-01-01',
					to: '2026-01-02',
					limit: 9,
				}),
		]) {
			await expect(ask()).rejects.toMatchObject({ type: 'service_not_found' });
		}
		const services = [other, account_id].map((account) => ({ account_id: account, service_id }));
		expect(await world.catalog.call('areServices', { services })).toEqual([false, true]);
		expect((await world.catalog.call('getService', { account_id, service_id })).name).toBe('Piano lesson');
	});

	describe('the plan', () => {
		test('R7: When 30 creates run at once in three processes under a limit of 5, then exactly 5 succeed', async () => {
			const account_id = world.account(5);
			const answers = await Promise.allSettled(
				Array.from({ length: 30 }, (_, index) =>
					world.catalogs[index % 3]!.call('createService', { account_id, body: newService([slot(), slot()]) }),
				),
			);
			expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
			for (const answer of answers) {
				if (answer.status === 'rejected')
					expect(answer.reason).toMatchObject({ type: 'services_limit_reached', code: 422 });
			}
			const list = await world.catalog.call('listServices', { account_id, page: 1, page_size: 20 });
			expect(list.pagination.total_items).toBe(5);
			expect(await world.documents.slots.countDocuments({ account_id })).toBe(10);
		});

		test('When a service is deleted, then its allotment is free again', async () => {
			const account_id = world.account(1);
			const { data } = await world.catalog.call('createService', { account_id, body: newService() });
			await expect(create(world, account_id)).rejects.toMatchObject({ type: 'services_limit_reached' });
			await world.catalog.call('deleteService', { account_id, service_id: data.id });
			await expect(create(world, account_id)).resolves.toBeDefined();
			await expect(create(world, account_id)).rejects.toMatchObject({ type: 'services_limit_reached' });
		});

		test('When the plan is lowered below what is there, then nothing is created until there is room', async () => {
			const account_id = world.account(null);
			const created = [
				await create(world, account_id),
				await create(world, account_id),
				await create(world, account_id),
			];
			world.limits.set(account_id, 2);
			world.clock.advance(5_001);
			await expect(create(world, account_id)).rejects.toMatchObject({ type: 'services_limit_reached' });
			await world.catalog.call('deleteService', { account_id, service_id: created[0]!.data.id });
			await expect(create(world, account_id)).rejects.toMatchObject({ type: 'services_limit_reached' });
			await world.catalog.call('deleteService', { account_id, service_id: created[2]!.data.id });
			await expect(create(world, account_id)).resolves.toBeDefined();
			await expect(create(world, account_id)).rejects.toMatchObject({ type: 'services_limit_reached' });
		});

		test('When the plan has no limit, then services and their allotments do not stand in each other’s way', async () => {
			const account_id = world.account(null);
			await Promise.all(Array.from({ length: 20 }, () => create(world, account_id)));
			world.limits.set(account_id, 25);
			world.clock.advance(5_001);
			const body = newService();
			const more = await Promise.allSettled(
				Array.from({ length: 12 }, (_, index) =>
					world.catalogs[index % 3]!.call('createService', { account_id, body }),
				),
			);
			expect(more.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
		});

		test('When many ask for one account at once, then accounts is asked once', async () => {
			const account_id = world.account();
			const { data } = await create(world, account_id);
			world.clock.advance(5_001);
			const before = world.providerCalls;
			await Promise.all(
				Array.from({ length: 20 }, () => world.catalog.call('getService', { account_id, service_id: data.id })),
			);
			expect(world.providerCalls - before).toBe(1);
		});
	});
});

function create(world: World, account_id: string): Promise<Result<'catalog.createService'>> {
	return world.catalog.call('createService', { account_id, body: newService() });
}

function listSlots(world: World, account_id: string, service_id: number): Promise<Result<'catalog.listSlots'>> {
	return world.catalog.call('listSlots', { account_id, service_id, page: 1, page_size: 1000, all: false });
}
