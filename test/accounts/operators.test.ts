import { expect, test } from '@jest/globals';
import { MongoNetworkError } from 'mongodb';
import { accepted, allPages } from '../../ops/line/command.ts';
import { setAccount, suspendAccount } from '../../services/accounts/operators/account-actions.ts';
import { setPlan } from '../../services/accounts/operators/plan-actions.ts';
import { describeForms } from './accounts-world.ts';
import { newHash, readLog, startService } from './operator-world.ts';

describeForms('accounts of operators', (openWorld) => {
	test('When an account is made, moved, suspended and resumed, then it is shown so, and the log has each step', async () => {
		const { world, accounts } = await startService(openWorld);
		const owner = { name: 'Ada', email: 'ada@example.com', package: 'Starter' };
		const made = accepted(await accounts.call('accounts.createAccount', owner));
		const { id: account_id } = made;
		expect(made).toMatchObject({ ...owner, subscription_status: 'active', suspended_at: null });
		const steps = [
			() => accounts.call('accounts.setAccount', { account_id, package: 'Growth', subscription: 'past_due' }),
			() => accounts.call('accounts.suspendAccount', { account_id, suspended: true }),
			() => accounts.call('accounts.suspendAccount', { account_id, suspended: false }),
			() => accounts.call('accounts.suspendAccount', { account_id, suspended: true }),
		];
		for (const step of steps) {
			world.clock.advance(1_000);
			const changed = accepted(await step());
			expect(accepted(await accounts.call('accounts.showAccount', { account_id })).account).toEqual(changed);
			expect(changed.updated_at).toBe(new Date(world.clock.now()).toISOString());
		}
		const { account, package: plan } = accepted(await accounts.call('accounts.showAccount', { account_id }));
		expect(account).toMatchObject({ package: 'Growth', subscription_status: 'past_due' });
		expect(account.suspended_at).toBe(account.updated_at);
		expect(plan).toMatchObject({ name: 'Growth', rate: 20, burst: 50, requests: null, overages: true });
		const log = await readLog(accounts, { account_id });
		expect(log.map(({ event, subject, actor, details }) => [event, subject, actor, details])).toEqual([
			['account.created', account_id, 'operator', { package_id: 1 }],
			[
				...['account.changed', account_id, 'operator'],
				{ package: { from: 'Starter', to: 'Growth' }, subscription: { from: 'active', to: 'past_due' } },
			],
			['account.suspended', account_id, 'operator', {}],
			['account.resumed', account_id, 'operator', {}],
			['account.suspended', account_id, 'operator', {}],
		]);
	});

	test('X2: When a change lands late, after its answer was lost, then it undoes nothing that was acknowledged since', async () => {
		const { world } = await startService(openWorld);
		const { rows, records, clock } = world;
		const { account_id } = await world.provider('Starter');
		const move = (name: string) => () => setAccount(records, clock, account_id, { package: name });
		const suspend = (suspended: boolean) => () => suspendAccount(records, clock, account_id, suspended);
		const plan = (figures: object) => () => setPlan(records, clock, 'Starter', figures);
		const cases: ['accounts' | 'plans', () => Promise<unknown>, ...(() => Promise<unknown>)[]][] = [
			['accounts', move('Developer'), move('Growth')],
			['accounts', suspend(true), suspend(true), suspend(false)],
			['plans', plan({ rate: 30 }), plan({ rate: 40, burst: 77 })],
		];
		for (const [name, lost, ...newer] of cases) {
			const collection = rows[name].collection as unknown as Record<string, unknown>;
			const { updateOne } = collection as { updateOne: (...args: unknown[]) => Promise<unknown> };
			let late = async (): Promise<unknown> => undefined;
			collection.updateOne = async (...args: unknown[]) => {
				collection.updateOne = updateOne;
				late = () => updateOne.apply(collection, args);
				throw new MongoNetworkError('connection reset');
			};
			await expect(lost()).rejects.toThrow();
			for (const change of newer) {
				clock.advance(1_000);
				await change();
			}
			const stored = () => (rows[name] as typeof rows.accounts).find().sort({ _id: 1 }).lean();
			const before = await stored();
			await late();
			expect(await stored()).toEqual(before);
		}
	});

	test('X2: When two operators change the same plan at once, one its rate and one its burst, then both are changed', async () => {
		const { world, accounts } = await startService(openWorld);
		const other = await world.start();
		for (let round = 20; round < 30; round++) {
			const figures = { rate: round, burst: 10 * round };
			await Promise.all([
				accounts.call('accounts.setPackage', { name: 'Starter', figures: { rate: figures.rate } }),
				other.call('accounts.setPackage', { name: 'Starter', figures: { burst: figures.burst } }),
			]);
			expect((await accounts.call('accounts.listPackages', {}))[0]).toMatchObject(figures);
		}
	});

	test('When what is wanted is so already, then accounts, plans and the log stay as they are', async () => {
		const { world, accounts } = await startService(openWorld);
		const { account_id } = await world.provider('Starter');
		const shown = async () => [
			await accounts.call('accounts.showAccount', { account_id }),
			await accounts.call('accounts.listPackages', {}),
			await accounts.call('accounts.readLog', {}),
		];
		const before = await shown();
		world.clock.advance(1_000);
		await accounts.call('accounts.setAccount', { account_id, package: 'Starter', subscription: 'active' });
		await accounts.call('accounts.suspendAccount', { account_id, suspended: false });
		await accounts.call('accounts.setPackage', { name: 'Starter', figures: { rate: 5, overages: false } });
		expect(await shown()).toEqual(before);
	});

	test('When account, package or key do not exist, then a sentence says so, and nothing is written', async () => {
		const { world, accounts } = await startService(openWorld);
		const { account_id } = await world.provider('Starter');
		const before = await world.dump();
		const nobody = { account_id: 'acc_nobody' };
		const noGold = 'There is no package "Gold"; the packages are Starter, Developer, Growth, Unlimited.';
		const noAccount = 'There is no account acc_nobody.';
		const key = { hash: newHash(), name: 'test', scopes: ['read' as const], expires_in: null };
		const refusals = [
			[accounts.call('accounts.createAccount', { name: 'A', email: 'a@b', package: 'Gold' }), noGold],
			[accounts.call('accounts.setAccount', { account_id, package: 'Gold', subscription: 'canceled' }), noGold],
			[accounts.call('accounts.setPackage', { name: 'Gold', figures: { rate: 1 } }), noGold],
			[accounts.call('accounts.setAccount', { ...nobody, package: 'Growth' }), noAccount],
			[accounts.call('accounts.suspendAccount', { ...nobody, suspended: true }), noAccount],
			[accounts.call('accounts.showAccount', nobody), noAccount],
			[accounts.call('accounts.listKeys', nobody), noAccount],
			[accounts.call('accounts.createKey', { ...nobody, ...key }), noAccount],
			[accounts.call('accounts.revokeKey', { key_id: 'key_x' }), 'There is no key key_x.'],
			[accounts.call('accounts.revokeKey', { hash: newHash() }), 'There is no such key.'],
			[accounts.call('accounts.rollKey', { key_id: 'key_x', hash: newHash(), overlap: 0 }), 'There is no key key_x.'],
			[
				accounts.call('accounts.setPackage', { name: 'Starter', figures: { burst: null } }),
				'Package Starter needs a rate and a burst, or none of both.',
			],
		] as const;
		for (const [answer, refused] of refusals) expect(await answer).toEqual({ refused });
		expect(await world.dump()).toBe(before);
	});

	test('When there are more than a page of accounts and keys, then the lists have each once, in order', async () => {
		const { world, accounts } = await startService(openWorld);
		const { account_id } = await world.provider('Starter');
		const [account] = await world.rows.accounts.find({ _id: account_id }).lean();
		const [key] = await world.rows.keys.find({ account_id }).lean();
		const more = Array.from({ length: 1_203 }, (_, number) => number);
		await world.rows.accounts.insertMany(
			more.map((number) => ({ ...account!, _id: `acc_more${number}` })),
			{ lean: true },
		);
		await world.rows.keys.insertMany(
			more.map((number) => ({ ...key!, _id: `key_more${number}`, hash: `hash${number}` })),
			{ lean: true },
		);
		const listed = await allPages((after?: string) => accounts.call('accounts.listAccounts', after ? { after } : {}));
		const ids = listed.map(({ id }) => id);
		expect([ids.length, new Set(ids).size]).toEqual([1_205, 1_205]);
		expect(ids).toEqual([...ids].sort());
		const keys = await allPages(async (after?: string) =>
			accepted(await accounts.call('accounts.listKeys', { account_id, ...(after && { after }) })),
		);
		expect(new Set(keys.map(({ id }) => id)).size).toBe(1_204);
	});
});

describeForms('plans of operators', (openWorld) => {
	test('When limits are changed, then only those are, and accounts on the plan have them', async () => {
		const { world, accounts } = await startService(openWorld);
		const { hash, account_id } = await world.provider('Starter');
		const figures = { rate: 7, burst: 11, bookings: null, overages: true };
		const changed = accepted(await accounts.call('accounts.setPackage', { name: 'Starter', figures }));
		expect(changed).toMatchObject({ ...figures, requests: 10_000, services: 5 });
		const [listed] = await accounts.call('accounts.listPackages', {});
		expect(listed).toEqual(changed);
		expect((await accounts.call('accounts.verifyKey', { hash }))?.package).toMatchObject({ rate: 7, burst: 11 });
		expect(
			await accounts.call('accounts.reserveBookings', {
				account_id,
				count: 5_000,
				month: '2026-11',
				by: 'test',
				number: 1,
			}),
		).toMatchObject({
			granted: 5_000,
		});
		const log = await readLog(accounts);
		expect(log.filter(({ event }) => event === 'package.changed')).toMatchObject([
			{
				account_id: null,
				subject: 'Starter',
				details: {
					rate: { from: 5, to: 7 },
					burst: { from: 10, to: 11 },
					bookings: { from: 1_000, to: null },
					overages: { from: false, to: true },
				},
			},
		]);
	});
});
