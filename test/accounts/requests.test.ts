import { expect, test } from '@jest/globals';
import { usageKey } from '../../services/accounts/quota/usage-store.ts';
import type { RequestCount } from '../../shared/contract/actions.ts';
import { type AccountsProcess, type AccountsWorld, describeForms } from './accounts-world.ts';

const MONTH = '2026-11';

const of = (account_id: string, requests: number, month = MONTH): RequestCount => ({ account_id, month, requests });

const record = (accounts: AccountsProcess, report: string, ...counts: RequestCount[]) =>
	accounts.call('accounts.recordRequests', { report, counts });

async function recorded(world: AccountsWorld, account_id: string, month = MONTH): Promise<number> {
	return (await world.rows.usage.findOne(usageKey(account_id, month)).lean())?.requests ?? 0;
}

describeForms('reports of requests', (openWorld) => {
	test('When gateways report, then their counts add up, and each learns the totals of what it reported', async () => {
		const world = await openWorld();
		const accounts = await world.start();
		expect(await record(accounts, 'a1', of('acc_1', 3), of('acc_2', 3))).toEqual([of('acc_1', 3), of('acc_2', 3)]);
		expect(await record(accounts, 'b1', of('acc_2', 4), of('acc_3', 1))).toEqual([of('acc_2', 7), of('acc_3', 1)]);
		expect(await record(accounts, 'a2', of('acc_1', 5))).toEqual([of('acc_1', 8)]);
	});

	test('R7: When the service starts again, then the month goes on', async () => {
		const world = await openWorld();
		const first = await world.start();
		await record(first, 'a1', of('acc_1', 41));
		await first.stop();
		expect(await record(await world.start(), 'b1', of('acc_1', 1))).toEqual([of('acc_1', 42)]);
	});

	test('R7: When 12 reports of 150 accounts come at once over three processes, then none is lost', async () => {
		const world = await openWorld();
		const processes = [await world.start(), await world.start(), await world.start()];
		const accounts = Array.from({ length: 150 }, (_, index) => `acc_${index}`);
		// Each has a third of the accounts, with 1 to 7 requests.
		const reports = Array.from({ length: 12 }, (_, number) =>
			accounts.filter((_, index) => (index + number) % 3 === 0).map((id, index) => of(id, 1 + ((index + number) % 7))),
		);
		await Promise.all(reports.map((counts, number) => record(processes[number % 3]!, `r${number}`, ...counts)));
		const expected = new Map<string, number>();
		for (const { account_id, requests } of reports.flat()) {
			expected.set(account_id, (expected.get(account_id) ?? 0) + requests);
		}
		const rows = await world.rows.usage.find({}).setOptions({ everyAccount: true }).lean();
		expect(new Map(rows.map(({ account_id, requests }) => [account_id, requests]))).toEqual(expected);
	});

	test('When a report is repeated, at once or after those of others, then it counts once', async () => {
		const world = await openWorld();
		const processes = [await world.start(), await world.start()];
		const repeated = [of('acc_1', 7), of('acc_2', 9)];
		await Promise.all([...processes, ...processes].map((accounts) => record(accounts, 'a1', ...repeated)));
		for (let other = 0; other < 40; other++) await record(processes[0]!, `other${other}`, of('acc_1', 1));
		expect(await record(processes[1]!, 'a1', ...repeated)).toEqual([of('acc_1', 47), of('acc_2', 9)]);
	});

	test('When half of a report was carried out, then its repetition adds the other half', async () => {
		const world = await openWorld();
		const accounts = await world.start();
		await record(accounts, 'a1', of('acc_1', 7));
		expect(await record(accounts, 'a1', of('acc_1', 7), of('acc_2', 9))).toEqual([of('acc_1', 7), of('acc_2', 9)]);
	});

	test('When thousands of reports came, then the row remembers the last ones only', async () => {
		const world = await openWorld();
		const accounts = await world.start();
		for (let number = 0; number < 120; number++) await record(accounts, `r${number}`, of('acc_1', 1));
		const { reports } = (await world.rows.usage.findOne(usageKey('acc_1', MONTH)).lean())!;
		expect([reports.length, reports.at(-1)]).toEqual([50, 'r119']);
	});

	test('When a report has requests of two months, then each counts in its own', async () => {
		const world = await openWorld();
		const accounts = await world.start();
		const counts = [of('acc_1', 7), of('acc_1', 2, '2026-12')];
		expect(await record(accounts, 'a1', ...counts)).toEqual(counts);
		expect([await recorded(world, 'acc_1'), await recorded(world, 'acc_1', '2026-12')]).toEqual([7, 2]);
	});

	test('When bookings are reserved meanwhile, then neither disturbs the other', async () => {
		const world = await openWorld();
		const { account_id } = await world.provider('Starter');
		const processes = [await world.start(), await world.start()];
		const both = (index: number) => [
			record(processes[index % 2]!, `r${index}`, of(account_id, 2)),
			processes[index % 2]!.call('accounts.reserveBookings', {
				account_id,
				count: 3,
				month: MONTH,
				by: `process${index}`,
				number: 1,
			}),
		];
		// Twenty at once: each is a write of the same row, which a busy machine makes one after the other.
		for (let at = 0; at < 60; at += 10) {
			await Promise.all(Array.from({ length: 10 }, (_, index) => both(at + index)).flat());
		}
		expect(await world.rows.usage.findOne(usageKey(account_id, MONTH)).lean()).toMatchObject({
			requests: 120,
			bookings: 180,
		});
	});

	test('When a key is looked up, then it tells what was recorded and at how many the month ends', async () => {
		const world = await openWorld();
		const [starter, growth] = [await world.provider('Starter'), await world.provider('Growth')];
		const accounts = await world.start();
		const quotaOf = async ({ hash }: { hash: string }) => (await accounts.call('accounts.verifyKey', { hash }))?.quota;
		await record(accounts, 'a1', of(starter.account_id, 12), of(growth.account_id, 13));
		expect(await quotaOf(starter)).toEqual({ month: MONTH, requests: 12, limit: 10_000 });
		expect(await quotaOf(growth)).toEqual({ month: MONTH, requests: 13, limit: null });
		await world.rows.plans.updateOne({ name: 'Starter' }, { $set: { overages_enabled: true } });
		expect(await quotaOf(starter)).toEqual({ month: MONTH, requests: 12, limit: null });
		world.clock.set('2026-12-01T00:00:00.000Z');
		expect(await quotaOf(starter)).toEqual({ month: '2026-12', requests: 0, limit: null });
	});
});
