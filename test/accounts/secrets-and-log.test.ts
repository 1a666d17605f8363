import { expect, jest, test } from '@jest/globals';
import { accepted } from '../../ops/line/command.ts';
import { addBootstrapKeys } from '../../services/accounts/keys/first-keys.ts';
import { createKey, revokeKey } from '../../services/accounts/operators/key-actions.ts';
import { createApiKey, hashApiKey } from '../../shared/secrets/api-key.ts';
import { describeForms } from './accounts-world.ts';

describeForms('secrets', (openWorld) => {
	test('A2: When keys are added in every way and used, then neither store nor log has one of them', async () => {
		const world = await openWorld();
		const demo = (await world.start()).takeDemoKey()!;
		const bootstrap = createApiKey();
		const accounts = await world.start(`${bootstrap}:Starter`);
		const created = await world.provider('Starter');
		const keys = [demo, bootstrap, created.api_key];
		for (const key of keys) expect(await accounts.call('accounts.verifyKey', { hash: hashApiKey(key) })).not.toBeNull();
		await revokeKey(world.records, world.clock, { key_id: created.key_id });
		await expect(world.start(`${createApiKey()}:Gold`)).rejects.toThrow('Gold');
		const [dump, log] = [await world.dump(), world.log()];
		expect(log).toContain("Service 'accounts' started");
		for (const key of keys) expect(dump).toContain(hashApiKey(key));
		for (const text of [dump, log]) expect(text).not.toMatch(/slw_[0-9A-Za-z]{36}/);
		for (const key of keys) expect(dump + log).not.toContain(key.slice(4, 34));
	});
});

describeForms('operator log', (openWorld) => {
	test('A3: When accounts and keys are created and revoked, then the log has who, what and when', async () => {
		const world = await openWorld();
		const { account_id, key_id } = await world.provider('Starter');
		world.clock.advance(1_000);
		const second = accepted(
			await createKey(world.records, world.clock, {
				account_id,
				hash: hashApiKey(createApiKey()),
				name: 'reader',
				scopes: ['read'],
				expires_in: 60_000,
			}),
		);
		world.clock.advance(1_000);
		await revokeKey(world.records, world.clock, { key_id });
		await revokeKey(world.records, world.clock, { key_id });
		const entries = await world.rows.log.find({ account_id }).sort({ at: 1, _id: 1 }).lean();
		expect(entries.map(({ at, event, subject, actor, details }) => ({ at, event, subject, actor, details }))).toEqual([
			{
				at: '2026-11-21T09:30:00.000Z',
				event: 'account.created',
				subject: account_id,
				actor: 'operator',
				details: { package_id: 1 },
			},
			{
				at: '2026-11-21T09:30:00.000Z',
				event: 'key.created',
				subject: key_id,
				actor: 'operator',
				details: { scopes: ['read', 'write'], expires_at: null },
			},
			{
				at: '2026-11-21T09:30:01.000Z',
				event: 'key.created',
				subject: second.id,
				actor: 'operator',
				details: { scopes: ['read'], expires_at: '2026-11-21T09:31:01.000Z' },
			},
			{ at: '2026-11-21T09:30:02.000Z', event: 'key.revoked', subject: key_id, actor: 'operator', details: {} },
		]);
	});

	test('A3: When somebody changes or removes an entry, then that is refused', async () => {
		const world = await openWorld();
		const { account_id } = await world.provider('Starter');
		const { log } = world.rows;
		const mine = { account_id };
		await expect(log.updateOne(mine, { $set: { actor: 'bootstrap' } })).rejects.toThrow('append-only');
		await expect(log.updateMany(mine, { $set: { actor: 'bootstrap' } })).rejects.toThrow('append-only');
		await expect(log.findOneAndUpdate(mine, { $set: { actor: 'bootstrap' } })).rejects.toThrow('append-only');
		await expect(log.findOneAndDelete(mine)).rejects.toThrow('append-only');
		await expect(log.deleteOne(mine)).rejects.toThrow('append-only');
		await expect(log.deleteMany(mine)).rejects.toThrow('append-only');
		expect(await log.countDocuments(mine)).toBe(2);
	});

	test('A3: When the log cannot be written, then nothing is created or revoked', async () => {
		const world = await openWorld();
		const { key_id, hash } = await world.provider('Starter');
		const accounts = await world.start();
		const before = await world.dump();
		const write = jest.spyOn(world.store.connection.collection('audit_log'), 'insertMany');
		write.mockRejectedValue(new Error('no room'));
		await expect(world.provider('Starter')).rejects.toThrow('no room');
		await expect(revokeKey(world.records, world.clock, { key_id })).rejects.toThrow('no room');
		write.mockRestore();
		expect(await world.dump()).toBe(before);
		expect(await accounts.call('accounts.verifyKey', { hash })).not.toBeNull();
	});

	test('When accounts cannot be written, then there is no key without one', async () => {
		const world = await openWorld();
		await world.provider('Starter');
		const write = jest.spyOn(world.store.connection.collection('accounts'), 'insertMany');
		write.mockRejectedValue(new Error('no room'));
		const keys = [{ key: createApiKey(), package: 'Starter' }];
		await expect(addBootstrapKeys(world.records, world.clock, keys)).rejects.toThrow('no room');
		write.mockRestore();
		expect(await world.rows.keys.countDocuments({}, { everyAccount: true })).toBe(1);
	});

	test('A5: When a query of keys, usage or log names no account, then it throws', async () => {
		const world = await openWorld();
		const { keys, usage, log } = world.rows;
		await expect(keys.findOne({ _id: 'any' })).rejects.toThrow('account_id');
		await expect(usage.findOne({ _id: 'any' })).rejects.toThrow('account_id');
		await expect(log.findOne({ _id: 'any' })).rejects.toThrow('account_id');
	});
});
