import { expect, test } from '@jest/globals';
import { showUsage } from '../../services/accounts/quota/usage.ts';
import { unused, usageKey } from '../../services/accounts/quota/usage-store.ts';
import type { Caller } from '../../shared/bus/call.ts';
import type { AccountUsage } from '../../shared/contract/schemas/usage.ts';
import { type AccountsWorld, describeForms } from './accounts-world.ts';

/** Stands for catalog: every account has two services. */
const catalog = { call: async () => 2 } as unknown as Caller;

const shown = (world: AccountsWorld, account_id: string, month?: string) =>
	showUsage(world.records, world.clock, catalog, { account_id, ...(month && { month }) }) as Promise<AccountUsage>;

/** An account that was made when the month began. */
async function accountOf(world: AccountsWorld, packageName: string): Promise<string> {
	world.clock.set('2026-11-01T00:00:00.000Z');
	return (await world.provider(packageName)).account_id;
}

async function use(world: AccountsWorld, account_id: string, requests: number, bookings: number, month = '2026-11') {
	await world.rows.usage.insertMany([{ ...unused(usageKey(account_id, month)), requests, bookings }]);
}

describeForms('usage', (openWorld) => {
	test('When nothing was used, then everything is left', async () => {
		const world = await openWorld();
		const account_id = await accountOf(world, 'Starter');
		const nothing = { used: 0, overage: 0, projected: null };
		expect(await shown(world, account_id)).toEqual({
			month: '2026-11',
			resets_at: '2026-12-01T00:00:00.000Z',
			package: 'Starter',
			overages_enabled: false,
			requests: { ...nothing, limit: 10_000, remaining: 10_000 },
			bookings: { ...nothing, limit: 1_000, remaining: 1_000 },
			services: { used: 2, limit: 5, remaining: 3 },
		});
	});

	test.each([
		['2026-11-01T23:59:59.999Z', null],
		['2026-11-02T00:00:00.000Z', 900],
		['2026-11-16T00:00:00.000Z', 60],
		['2026-11-30T23:59:59.999Z', 30],
	])('When it is %s, then 30 requests are projected to %p at the end of the month', async (now, projected) => {
		const world = await openWorld();
		const account_id = await accountOf(world, 'Starter');
		await use(world, account_id, 30, 15);
		world.clock.set(now);
		const { requests, bookings } = await shown(world, account_id);
		expect(requests.projected).toBe(projected);
		expect(bookings.projected).toBe(projected === null ? null : projected / 2);
	});

	test('When the account was made during the month, then what it used since goes on until the end', async () => {
		const world = await openWorld();
		world.clock.set('2026-11-21T00:00:00.000Z');
		const { account_id } = await world.provider('Starter');
		await use(world, account_id, 100, 0);
		world.clock.set('2026-11-21T23:00:00.000Z');
		expect((await shown(world, account_id)).requests.projected).toBeNull();
		world.clock.set('2026-11-26T00:00:00.000Z'); // half of its ten days
		expect((await shown(world, account_id)).requests.projected).toBe(200);
	});

	test('When more was used than the plan allows, then nothing is left, and only a plan with overages has some', async () => {
		const world = await openWorld();
		const account_id = await accountOf(world, 'Starter');
		await use(world, account_id, 10_007, 1_003);
		const figures = async () => {
			const { requests, bookings, overages_enabled } = await shown(world, account_id);
			return [overages_enabled, requests.remaining, requests.overage, bookings.remaining, bookings.overage];
		};
		expect(await figures()).toEqual([false, 0, 0, 0, 0]);
		await world.rows.plans.updateOne({ name: 'Starter' }, { $set: { overages_enabled: true } });
		expect(await figures()).toEqual([true, 0, 7, 0, 3]);
	});

	test('When a plan has no limit, then there is none, and nothing is left or over', async () => {
		const world = await openWorld();
		const account_id = await accountOf(world, 'Growth');
		await use(world, account_id, 1_000_000, 5);
		const { requests, services } = await shown(world, account_id);
		expect(requests).toEqual({ used: 1_000_000, limit: null, remaining: null, overage: 0, projected: null });
		expect(services).toEqual({ used: 2, limit: null, remaining: null });
	});

	test('When the package changes, then the month goes on against the new one', async () => {
		const world = await openWorld();
		const account_id = await accountOf(world, 'Starter');
		await use(world, account_id, 9_000, 900);
		await world.rows.accounts.updateOne({ _id: account_id }, { $set: { package_id: 2 } });
		expect(await shown(world, account_id)).toMatchObject({
			package: 'Developer',
			requests: { used: 9_000, limit: 50_000, remaining: 41_000 },
			bookings: { used: 900, limit: 5_000, remaining: 4_100 },
		});
	});

	test('R7: When the month ends, then the next one begins at 0, and the past one is kept', async () => {
		const world = await openWorld();
		const account_id = await accountOf(world, 'Starter');
		await use(world, account_id, 30, 15);
		world.clock.set('2026-12-01T00:00:00.000Z');
		expect(await shown(world, account_id)).toMatchObject({ month: '2026-12', requests: { used: 0, projected: null } });
		expect(await shown(world, account_id, '2026-11')).toMatchObject({
			month: '2026-11',
			resets_at: '2026-12-01T00:00:00.000Z',
			requests: { used: 30, projected: 30 },
			bookings: { used: 15, projected: 15 },
		});
		world.clock.set('2026-12-31T12:00:00.000Z');
		expect((await shown(world, account_id)).resets_at).toBe('2027-01-01T00:00:00.000Z');
	});

	test('When there is no such account, then there is nothing', async () => {
		const world = await openWorld();
		expect(await shown(world, 'acc_nobody')).toBeNull();
	});
});
