import { afterEach, expect, jest, test } from '@jest/globals';
import { revokeKey } from '../../services/accounts/operators/key-actions.ts';
import { createApiKey, hashApiKey } from '../../shared/secrets/api-key.ts';
import { until } from '../support/until.ts';
import { type AccountsWorld, describeForms } from './accounts-world.ts';

const MINUTE = 60_000;

/** Sees the updates of every process that is started from now on: a process wraps what it finds when it starts. */
function spyUpdates(world: AccountsWorld) {
	return jest.spyOn(Object.getPrototypeOf(world.store.connection.collection('api_keys')), 'updateOne');
}

/** Counts the updates of keys that found one to change. */
function countWrites(world: AccountsWorld): () => Promise<number> {
	const updates = spyUpdates(world);
	return async () => {
		const results = await Promise.all(updates.mock.results.map(({ value }) => value as { matchedCount: number }));
		return results.filter(({ matchedCount }) => matchedCount === 1).length;
	};
}

afterEach(() => {
	jest.restoreAllMocks();
});

describeForms('verifyKey', (openWorld) => {
	test('When a key is known, then its account, scopes and plan are told', async () => {
		const world = await openWorld();
		const key = await world.provider('Starter');
		const accounts = await world.start();
		expect(await accounts.call('accounts.verifyKey', { hash: key.hash })).toEqual({
			account_id: key.account_id,
			key_id: key.key_id,
			scopes: ['read', 'write'],
			expires_at: null,
			suspended: false,
			package: { name: 'Starter', rate: 5, burst: 10 },
			quota: { month: '2026-11', requests: 0, limit: 10_000 },
		});
	});

	test('When a key is unknown, then there is nobody', async () => {
		const world = await openWorld();
		await world.provider('Starter');
		const accounts = await world.start();
		expect(await accounts.call('accounts.verifyKey', { hash: hashApiKey(createApiKey()) })).toBeNull();
	});

	test('When a key expires, then it works until that millisecond', async () => {
		const world = await openWorld();
		const expires_at = '2026-11-21T09:31:00.000Z';
		const { hash } = await world.provider('Starter', MINUTE);
		const accounts = await world.start();
		world.clock.set('2026-11-21T09:30:59.999Z');
		expect(await accounts.call('accounts.verifyKey', { hash })).toMatchObject({ expires_at: Date.parse(expires_at) });
		world.clock.advance(1);
		expect(await accounts.call('accounts.verifyKey', { hash })).toBeNull();
	});

	test('A3: When a key is revoked, then it works no more, in any process', async () => {
		const world = await openWorld();
		const { hash, key_id } = await world.provider('Starter');
		const processes = [await world.start(), await world.start()];
		for (const each of processes) expect(await each.call('accounts.verifyKey', { hash })).not.toBeNull();
		await revokeKey(world.records, world.clock, { key_id });
		for (const each of processes) expect(await each.call('accounts.verifyKey', { hash })).toBeNull();
	});

	test('When a key is revoked twice, then the first time stays; where there is no such key, that is told', async () => {
		const world = await openWorld();
		const { key_id } = await world.provider('Starter');
		await revokeKey(world.records, world.clock, { key_id });
		world.clock.advance(MINUTE);
		const again = await revokeKey(world.records, world.clock, { key_id });
		expect(again).toMatchObject({ id: key_id, state: 'revoked', revoked_at: '2026-11-21T09:30:00.000Z' });
		const nobodys = await revokeKey(world.records, world.clock, { key_id: 'key_of_nobody' });
		expect(nobodys).toEqual({ refused: 'There is no key key_of_nobody.' });
		const row = await world.rows.keys.findOne({ _id: key_id }, {}, { everyAccount: true }).lean();
		expect(row?.revoked_at).toBe('2026-11-21T09:30:00.000Z');
	});

	test('When an operator suspends an account or changes its plan, then the next look-up tells', async () => {
		const world = await openWorld();
		const { hash, account_id } = await world.provider('Starter');
		const accounts = await world.start();
		await accounts.call('accounts.verifyKey', { hash });
		await world.rows.accounts.updateOne({ _id: account_id }, { $set: { suspended_at: '2026-11-21T09:30:00.000Z' } });
		await world.rows.plans.updateOne({ name: 'Starter' }, { $set: { burst: 77 } });
		const principal = await accounts.call('accounts.verifyKey', { hash });
		expect(principal).toMatchObject({ suspended: true, package: { rate: 5, burst: 77 } });
	});
});

describeForms('last use of a key', (openWorld) => {
	test('A3: When a key is used all the time, then its last use is written once a minute', async () => {
		const world = await openWorld();
		const { hash, key_id } = await world.provider('Starter');
		const writes = countWrites(world);
		const accounts = await world.start();
		const use = (times: number) =>
			Promise.all(Array.from({ length: times }, () => accounts.call('accounts.verifyKey', { hash })));
		const lastUse = async () =>
			(await world.rows.keys.findOne({ _id: key_id }, {}, { everyAccount: true }).lean())?.last_used_at;

		await use(10);
		await until(async () => (await lastUse()) === '2026-11-21T09:30:00.000Z');
		world.clock.advance(MINUTE - 1);
		await use(10);
		world.clock.advance(1);
		await use(10);
		await until(async () => (await lastUse()) === '2026-11-21T09:31:00.000Z');
		await accounts.stop();
		expect(await writes()).toBe(2);
	});

	test('A3: When several processes see a key first used at once, then one of them writes', async () => {
		const world = await openWorld();
		const { hash } = await world.provider('Starter');
		const writes = countWrites(world);
		const processes = await Promise.all([world.start(), world.start(), world.start()]);
		await Promise.all(processes.map((each) => each.call('accounts.verifyKey', { hash })));
		for (const each of processes) await each.stop();
		expect(await writes()).toBe(1);
	});

	test('When its last use cannot be written, then the key works all the same, and the log says so', async () => {
		const world = await openWorld();
		const { hash } = await world.provider('Starter');
		const write = spyUpdates(world);
		const accounts = await world.start();
		write.mockRejectedValue(new Error('no room') as never);
		expect(await accounts.call('accounts.verifyKey', { hash })).not.toBeNull();
		expect(write).toHaveBeenCalledTimes(1);
		await until(() => world.log().includes('last use of a key not recorded'));
	});

	test('When writing its last use takes long, then the answer does not wait, but the end of the service does', async () => {
		const world = await openWorld();
		const { hash } = await world.provider('Starter');
		const write = spyUpdates(world);
		const accounts = await world.start();
		const order: string[] = [];
		const slow = new Promise((resolve) => setTimeout(resolve, 500)).then(() => order.push('written'));
		write.mockReturnValue(slow.then(() => ({ matchedCount: 1 })) as never);
		expect(await accounts.call('accounts.verifyKey', { hash })).not.toBeNull();
		order.push('answered');
		await accounts.stop();
		order.push('stopped');
		expect(order).toEqual(['answered', 'written', 'stopped']);
	});
});
