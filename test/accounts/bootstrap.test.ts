import { expect, jest, test } from '@jest/globals';
import { accepted } from '../../ops/line/command.ts';
import { derivedId } from '../../services/accounts/add-accounts.ts';
import { revokeKey } from '../../services/accounts/operators/key-actions.ts';
import { CannotStart } from '../../shared/process/cannot-start.ts';
import { createApiKey, hashApiKey } from '../../shared/secrets/api-key.ts';
import { type AccountsWorld, describeForms } from './accounts-world.ts';

const everyAccount = { everyAccount: true };
const keyRows = (world: AccountsWorld) => world.rows.keys.find({}, {}, everyAccount).lean();

async function contents(world: AccountsWorld) {
	const { accounts, keys, log } = world.rows;
	return {
		accounts: await accounts.find().sort({ _id: 1 }).lean(),
		keys: await keys.find({}, { last_used_at: 0 }, everyAccount).sort({ _id: 1 }).lean(),
		log: await log.find({}, {}, everyAccount).sort({ _id: 1 }).lean(),
	};
}

describeForms('BOOTSTRAP_KEYS', (openWorld) => {
	test('When keys are not known yet, then each has an account of its own on its package', async () => {
		const world = await openWorld();
		const [first, second] = [createApiKey(), createApiKey()];
		const accounts = await world.start(`${first}:Growth,${second}:Starter`);
		const principals = await Promise.all(
			[first, second].map((key) => accounts.call('accounts.verifyKey', { hash: hashApiKey(key) })),
		);
		expect(principals).toMatchObject([
			{ scopes: ['read', 'write'], expires_at: null, package: { name: 'Growth', rate: 20, burst: 50 } },
			{ scopes: ['read', 'write'], expires_at: null, package: { name: 'Starter', rate: 5, burst: 10 } },
		]);
		expect(principals[0]?.account_id).not.toBe(principals[1]?.account_id);
	});

	test('When the process starts again, then nothing changes but for keys that are new', async () => {
		const world = await openWorld();
		const [known, added] = [createApiKey(), createApiKey()];
		await world.start(`${known}:Growth`);
		const before = await contents(world);
		world.clock.advance(1_000);
		await world.start(`${known}:Growth`);
		expect(await contents(world)).toEqual(before);
		await world.start(`${known}:Starter,${added}:Starter`);
		const after = await contents(world);
		expect(after.keys).toHaveLength(2);
		expect(after.accounts).toEqual(expect.arrayContaining(before.accounts));
	});

	test('When processes start at the same moment, then a key has one account', async () => {
		const world = await openWorld();
		const keys = Array.from({ length: 20 }, createApiKey);
		const variable = keys.map((key) => `${key}:Developer`).join(',');
		const processes = await Promise.all([1, 2, 3, 4].map(() => world.start(variable)));
		const { accounts, keys: rows, log } = await contents(world);
		expect([accounts.length, rows.length, log.length]).toEqual([20, 20, 40]);
		expect(new Set(rows.map((row) => row.account_id)).size).toBe(20);
		for (const key of keys) {
			const each = processes[keys.indexOf(key) % processes.length]!;
			expect(await each.call('accounts.verifyKey', { hash: hashApiKey(key) })).not.toBeNull();
		}
	});

	test('When a process died between account and key, then the next start finishes it', async () => {
		const world = await openWorld();
		const key = createApiKey();
		await world.start(`${key}:Developer`);
		const account_id = derivedId('acc', hashApiKey(key));
		await world.rows.keys.deleteOne({ account_id });
		const accounts = await world.start(`${key}:Developer`);
		expect(await accounts.call('accounts.verifyKey', { hash: hashApiKey(key) })).toMatchObject({ account_id });
		expect(await world.rows.accounts.countDocuments()).toBe(1);
	});

	test('When one was revoked, then a restart does not bring it back', async () => {
		const world = await openWorld();
		const key = createApiKey();
		await world.start(`${key}:Developer`);
		await revokeKey(world.records, world.clock, { key_id: (await keyRows(world))[0]!._id });
		const accounts = await world.start(`${key}:Developer`);
		expect(await accounts.call('accounts.verifyKey', { hash: hashApiKey(key) })).toBeNull();
		expect(await keyRows(world)).toHaveLength(1);
	});

	test('When the package of a known key is gone, then the start goes on', async () => {
		const world = await openWorld();
		const key = createApiKey();
		await world.start(`${key}:Starter`);
		await world.rows.plans.updateOne({ name: 'Starter' }, { $set: { name: 'Basic' } });
		const accounts = await world.start(`${key}:Starter`);
		expect(await accounts.call('accounts.verifyKey', { hash: hashApiKey(key) })).toMatchObject({
			package: { name: 'Basic' },
		});
	});

	test('When a package does not exist, then the start ends with one sentence and adds nothing', async () => {
		const world = await openWorld();
		const start = world.start(`${createApiKey()}:Starter,${createApiKey()}:Gold`);
		await expect(start).rejects.toThrow(
			new CannotStart(
				'BOOTSTRAP_KEYS names the package "Gold", which is none of Starter, Developer, Growth, Unlimited.',
			),
		);
		await expect(start).rejects.toBeInstanceOf(CannotStart);
		expect(await keyRows(world)).toEqual([]);
	});

	test('When there are 500, then they take few statements', async () => {
		const world = await openWorld();
		const keys = Array.from({ length: 500 }, createApiKey);
		const inserts = jest.spyOn(Object.getPrototypeOf(world.store.connection.collection('api_keys')), 'insertMany');
		const accounts = await world.start(keys.map((key) => `${key}:Unlimited`).join(','));
		expect(inserts.mock.calls.length).toBeLessThanOrEqual(5);
		inserts.mockRestore();
		expect(await keyRows(world)).toHaveLength(500);
		const last = await accounts.call('accounts.verifyKey', { hash: hashApiKey(keys[499]!) });
		expect(last?.package).toEqual({ name: 'Unlimited', rate: null, burst: null });
	});
});

describeForms('demo key', (openWorld) => {
	test('When the store has no key, then there is one on the Developer package, told once', async () => {
		const world = await openWorld();
		const accounts = await world.start();
		const key = accounts.takeDemoKey()!;
		expect(await accounts.call('accounts.verifyKey', { hash: hashApiKey(key) })).toMatchObject({
			account_id: 'acc_demo',
			package: { name: 'Developer' },
		});
		expect(accounts.takeDemoKey()).toBeUndefined();
		expect((await world.start()).takeDemoKey()).toBeUndefined();
	});

	test('When processes start at the same moment, then one of them has it', async () => {
		const world = await openWorld();
		const processes = await Promise.all([1, 2, 3, 4].map(() => world.start()));
		const [key, ...others] = processes.map((each) => each.takeDemoKey()).filter((each) => each !== undefined);
		expect(others).toEqual([]);
		expect(await processes[0]!.call('accounts.verifyKey', { hash: hashApiKey(key!) })).not.toBeNull();
		expect(await keyRows(world)).toHaveLength(1);
	});

	test('When DEMO is off, then there is none, and the log says how to get a key', async () => {
		const world = await openWorld();
		expect((await world.start('', { DEMO: '0' })).takeDemoKey()).toBeUndefined();
		expect(await keyRows(world)).toEqual([]);
		expect(world.log()).toContain('there is no API key yet: `accounts create` and `keys create`');
	});

	test('When it is the only key at another start, then the log says how to get a second one; afterwards no more', async () => {
		const world = await openWorld();
		const hints = () => world.log().split('the demo key was shown at its first start only').length - 1;
		const first = await world.start();
		first.takeDemoKey();
		expect(hints()).toBe(0);
		const second = await world.start();
		expect(hints()).toBe(1);
		const [, command] = /"command":"keys create (acc_\w+) --name \w+"/.exec(world.log())!;
		const hash = hashApiKey(createApiKey());
		const asked = { account_id: command!, hash, name: 'second', scopes: ['read' as const], expires_in: null };
		accepted(await second.call('accounts.createKey', asked));
		await world.start();
		expect(hints()).toBe(1);
	});

	test('When there are bootstrap keys, now or earlier, then there is none', async () => {
		const world = await openWorld();
		expect((await world.start(`${createApiKey()}:Growth`)).takeDemoKey()).toBeUndefined();
		expect((await world.start()).takeDemoKey()).toBeUndefined();
	});

	test('When it becomes a bootstrap key, then it stays the key that it was', async () => {
		const world = await openWorld();
		const key = (await world.start()).takeDemoKey()!;
		const accounts = await world.start(`${key}:Growth`);
		expect(await accounts.call('accounts.verifyKey', { hash: hashApiKey(key) })).toMatchObject({
			account_id: 'acc_demo',
			package: { name: 'Developer' },
		});
		expect(await world.rows.accounts.countDocuments()).toBe(1);
	});
});
