import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { SKEW } from '../../shared/engine/clock.ts';
import { newService, onBothStores, slots, World } from './catalog-world.ts';
import { intercept } from './crash.ts';

const body = newService(slots(2));
const first = { key: 'k1', fingerprint: 'f1' };
const DAY = 24 * 60 * 60 * 1000;

onBothStores('Idempotency-Key of a service', (form) => {
	let world: World;
	beforeAll(async () => {
		world = await World.start(form, 3);
	});
	afterAll(() => world.stop());

	test('I2: When 100 requests run at once in three processes under one key and a limit of 1, then one service is made', async () => {
		const account_id = world.account(1);
		const answers = await Promise.all(
			Array.from({ length: 100 }, (_, index) =>
				world.catalogs[index % 3]!.call('createService', { account_id, body, idempotency: first }),
			),
		);
		expect(answers.filter(({ replayed }) => !replayed)).toHaveLength(1);
		for (const { data } of answers) expect(data).toEqual(answers[0]!.data);
		expect(await world.documents.services.countDocuments({ account_id })).toBe(1);
		expect(await world.documents.slots.countDocuments({ account_id })).toBe(2);
	});

	test('I3: When a key comes with another request, then it is refused, and another account’s same key is its own', async () => {
		const [account_id, other] = [world.account(), world.account()];
		const { data } = await world.catalog.call('createService', { account_id, body, idempotency: first });
		const reused = { key: 'k1', fingerprint: 'f2' };
		await expect(world.catalog.call('createService', { account_id, body, idempotency: reused })).rejects.toMatchObject({
			type: 'idempotency_key_reused',
			code: 422,
		});
		const theirs = await world.catalog.call('createService', { account_id: other, body, idempotency: reused });
		expect(theirs.replayed).toBe(false);
		expect(theirs.data.id).not.toBe(data.id);
	});

	test('I4: When the service was changed, and then deleted, then the first answer is replayed', async () => {
		const account_id = world.account(1);
		const created = await world.catalog.call('createService', { account_id, body, idempotency: first });
		const service_id = created.data.id;
		await world.catalog.call('updateService', { account_id, service_id, body: { name: 'Other' } });
		const replay = { data: created.data, replayed: true };
		expect(await world.catalog.call('createService', { account_id, body, idempotency: first })).toEqual(replay);
		await world.catalog.call('deleteService', { account_id, service_id });
		expect(await world.catalog.call('createService', { account_id, body, idempotency: first })).toEqual(replay);
		expect(await world.documents.slots.countDocuments({ account_id })).toBe(0);
	});

	test('I3: When the key is older than 24 h and an hour of skew, then the request is a new one', async () => {
		const account_id = world.account();
		const before = await world.catalog.call('createService', { account_id, body, idempotency: first });
		world.clock.advance(DAY + SKEW);
		const still = await world.catalog.call('createService', { account_id, body, idempotency: first });
		expect(still).toEqual({ data: before.data, replayed: true });
		world.clock.advance(1);
		const after = await world.catalog.call('createService', {
			account_id,
			body,
			idempotency: { key: 'k1', fingerprint: 'f2' },
		});
		expect(after.replayed).toBe(false);
		expect(after.data.id).not.toBe(before.data.id);
	});

	test('When a request was refused, then its key is decided anew', async () => {
		const account_id = world.account(0);
		const request = { account_id, body, idempotency: first };
		await expect(world.catalog.call('createService', request)).rejects.toMatchObject({
			type: 'services_limit_reached',
		});
		world.limits.set(account_id, 1);
		world.clock.advance(5_001);
		await expect(world.catalog.call('createService', request)).resolves.toMatchObject({ replayed: false });
	});

	test('When the first request hangs, then the one behind it says before its time is up that it is in progress', async () => {
		const account_id = world.account();
		const hanging = Promise.withResolvers<void>();
		const reached = Promise.withResolvers<void>();
		const gate = intercept(world.store, 'services', 'insertMany', async (run) => {
			reached.resolve();
			await hanging.promise;
			return run();
		});
		const request = { account_id, body, idempotency: first };
		const created = world.catalog.call('createService', request);
		await reached.promise;
		await expect(world.catalog.call('createService', request, { timeout: 2_000 })).rejects.toMatchObject({
			type: 'request_in_progress',
			code: 409,
		});
		hanging.resolve();
		gate.undo();
		expect((await created).replayed).toBe(false);
		expect((await world.catalog.call('createService', request)).replayed).toBe(true);
	});
});
