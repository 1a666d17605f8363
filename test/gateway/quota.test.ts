import { afterAll, afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { Params, RequestCount } from '../../shared/contract/actions.ts';
import { ApiError } from '../../shared/contract/errors.ts';
import { TestClock } from '../accounts/test-clock.ts';
import { until } from '../support/until.ts';
import { exampleBackend } from './support/examples.ts';
import { startGateway, type TestGateway } from './support/start-gateway.ts';

/** What the monthly counters of accounts are to its gateways. */
class Ledger {
	readonly reports: Params<'accounts.recordRequests'>[] = [];
	readonly totals = new Map<string, number>();
	readonly #carriedOut = new Set<string>();
	/** Called before and after a report is carried out; may throw */
	before: () => void = () => {};
	after: () => void = () => {};
	/** When reports are answered */
	answers: Promise<void> = Promise.resolve();

	record = (given: Params<'accounts.recordRequests'>): RequestCount[] => {
		this.reports.push(given);
		this.before();
		if (!this.#carriedOut.has(given.report)) for (const count of given.counts) this.add(count);
		this.#carriedOut.add(given.report);
		this.after();
		return given.counts.map((count) => ({ ...count, requests: this.totals.get(keyOf(count))! }));
	};

	add(count: RequestCount): void {
		this.totals.set(keyOf(count), (this.totals.get(keyOf(count)) ?? 0) + count.requests);
	}
}

const keyOf = ({ account_id, month }: Pick<RequestCount, 'account_id' | 'month'>) => `${account_id}:${month}`;
const unavailable = () => {
	throw new ApiError('service_unavailable');
};

let clock: TestClock;
let ledger: Ledger;
let gateway: TestGateway;
beforeEach(async () => {
	clock = new TestClock('2026-11-21T09:30:00.000Z');
	ledger = new Ledger();
	gateway = await startGateway({
		clock,
		backend: {
			...exampleBackend,
			'accounts.recordRequests': async (params) => {
				const totals = ledger.record(params);
				await ledger.answers;
				return totals;
			},
		},
	});
});
// A stop waits for what is under way for two seconds, which no test here needs.
const stops: Promise<unknown>[] = [];
afterEach(() => void stops.push(gateway.stop()));
afterAll(() => Promise.all(stops));

let accounts = 0;

/** A client of an account whose month ends at `limit` requests, of which some were made already. */
function clientOf(limit: number | null, requests = 0, rest: object = {}) {
	const account_id = `acc_${++accounts}`;
	const key = gateway.addKey({ account_id, quota: { month: '2026-11', requests, limit }, ...rest });
	const client = gateway.client.withKey(key);
	const get = (path = '/v1/bookings/7') => client.get(path);
	const statuses = async (count: number) =>
		(await Promise.all(Array.from({ length: count }, () => get()))).map(({ status }) => status);
	return { account_id, client, get, statuses, recorded: () => ledger.totals.get(`${account_id}:2026-11`) ?? 0 };
}

const passed = (statuses: number[]) => statuses.filter((status) => status === 200).length;

describe('the requests of a month', () => {
	test('When more come at once than the month allows, then exactly so many pass, and so many are counted', async () => {
		const { statuses, recorded } = clientOf(30);
		const all = await statuses(80);
		expect([passed(all), all.filter((status) => status === 429).length]).toEqual([30, 50]);
		await until(() => recorded() === 30, { what: 'the report' });
		expect(passed(await statuses(5))).toBe(0);
	});

	test('When the month is used up, then 429 in the plan-limit shape with the seconds that are left of it', async () => {
		const { get } = clientOf(10, 10);
		clock.set('2026-11-30T23:59:17.400Z');
		const { status, body, headers } = await get();
		expect([status, headers['retry-after']]).toEqual([429, '43']);
		expect(body).toEqual({
			error: {
				code: 'rate_limit_exceeded',
				message: 'the monthly requests of your plan are used up',
				retry_after: 43,
			},
			code: 'rate_limit_exceeded',
		});
		expect(gateway.calls.map(({ action }) => action)).toEqual(['accounts.verifyKey']);
	});

	test('When the UTC month ends, then requests pass again and count in the new one', async () => {
		const { get, account_id } = clientOf(10, 10);
		clock.set('2026-11-30T23:59:59.999Z');
		expect((await get()).status).toBe(429);
		clock.advance(1);
		expect((await get()).status).toBe(200);
		await until(() => ledger.totals.get(`${account_id}:2026-12`) === 1, { what: 'the report' });
	});

	test('When there is no limit, or overages follow it, then everything passes and is counted', async () => {
		const { statuses, recorded } = clientOf(null, 1_000_000);
		expect(passed(await statuses(50))).toBe(50);
		await until(() => recorded() === 50, { what: 'the report' });
	});

	test('When another gateway serves the account, then its reports count here from the next report on', async () => {
		const { get, account_id, statuses } = clientOf(100);
		expect((await get()).status).toBe(200);
		ledger.add({ account_id, month: '2026-11', requests: 95 });
		expect((await get('/v1/usage')).status).toBe(200); // reports
		expect(passed(await statuses(10))).toBe(3);
	});

	test('When a key is looked up again, then what it tells of the month is believed where it is more', async () => {
		const { client, account_id, get, statuses } = clientOf(100);
		expect(passed(await statuses(10))).toBe(10);
		await get('/v1/usage'); // reports
		const other = gateway.addKey({ account_id, quota: { month: '2026-11', requests: 95, limit: 100 } });
		const answers = await Promise.all(Array.from({ length: 10 }, () => client.withKey(other).get('/v1/bookings/7')));
		expect(passed(answers.map(({ status }) => status))).toBe(5);
	});
});

describe('what counts', () => {
	test('When a request is refused before it was let through, then it costs no quota', async () => {
		const { client, get, recorded } = clientOf(10);
		await client.withKey(undefined).get('/v1/bookings/7');
		await client.get('/v1/nothing');
		await client.request('OPTIONS', '/v1/bookings');
		const readOnly = clientOf(10, 0, { scopes: ['read'] });
		expect((await readOnly.client.delete('/v1/bookings/7')).status).toBe(403);
		await get();
		await until(() => recorded() > 0, { what: 'the report' });
		expect([recorded(), readOnly.recorded()]).toEqual([1, 0]);
	});

	test('When a request fails after it was let through, then it counts, as does a HEAD', async () => {
		const { client, recorded } = clientOf(10);
		expect((await client.get('/v1/bookings/0')).status).toBe(400);
		expect((await client.post('/v1/bookings', { no: 'booking' })).status).toBe(400);
		expect((await client.request('HEAD', '/v1/bookings/7')).status).toBe(200);
		await until(() => recorded() === 3, { what: 'the report' });
	});

	test('R4: When the rate limit refuses a request, then it costs no quota', async () => {
		const plan = { package: { name: 'Slow', rate: 1, burst: 5 } };
		const { statuses, recorded } = clientOf(1_000, 0, plan);
		const through = passed(await statuses(40));
		expect(through).toBeLessThan(10);
		await until(() => recorded() > 0, { what: 'the report' });
		expect(recorded()).toBe(through);
	});

	test('R4: When the month is used up, then a request costs no token, and the headers tell the rate', async () => {
		const plan = { package: { name: 'Slow', rate: 1, burst: 5 } };
		const { get } = clientOf(1, 1, plan);
		for (let request = 0; request < 3; request++) {
			const { status, headers } = await get();
			expect([status, headers['x-ratelimit-limit'], headers['x-ratelimit-remaining']]).toEqual([429, '5', '5']);
		}
	});
});

describe('reports', () => {
	test('When accounts cannot be reached, then requests pass, and nothing of the count is lost', async () => {
		const { statuses, recorded } = clientOf(100);
		ledger.before = unavailable;
		expect(passed(await statuses(20))).toBe(20);
		await until(() => ledger.reports.length >= 2, { what: 'two attempts' });
		expect(passed(await statuses(7))).toBe(7);
		expect(new Set(ledger.reports.map(({ report }) => report)).size).toBe(1);
		ledger.before = () => {};
		await until(() => recorded() === 27, { what: 'both reports' });
		expect(passed(await statuses(100))).toBe(73);
	});

	test('When the answer to a report is lost, then its repetition has the same id and is counted once', async () => {
		const { statuses, recorded } = clientOf(100);
		ledger.after = unavailable;
		expect(passed(await statuses(20))).toBe(20);
		await until(() => ledger.reports.length >= 2, { what: 'two attempts' });
		expect(passed(await statuses(7))).toBe(7);
		ledger.after = () => {};
		await until(() => recorded() === 27, { what: 'both reports' });
		expect(passed(await statuses(100))).toBe(73);
	});

	test('When a report is not yet answered, then what it counts counts here all the same', async () => {
		const { statuses, recorded } = clientOf(100);
		const answered = Promise.withResolvers<void>();
		ledger.answers = answered.promise;
		expect(passed(await statuses(60))).toBe(60);
		await until(() => recorded() > 0, { what: 'the report' }); // of as many as came before the second was over
		expect(passed(await statuses(60))).toBe(40);
		answered.resolve();
	});

	test('When many accounts make requests, then they share a report', async () => {
		const clients = Array.from({ length: 20 }, () => clientOf(10));
		await Promise.all(clients.map(({ get }) => get()));
		await until(() => clients.every(({ recorded }) => recorded() === 1), { what: 'the report' });
		expect(ledger.reports.length).toBeLessThanOrEqual(3);
	});

	test('When the gateway stops, then what was counted is reported before it ends', async () => {
		const { statuses, recorded } = clientOf(100);
		await statuses(13);
		await gateway.stop();
		expect(recorded()).toBe(13);
	});

	test('When the usage is asked for, then all requests are reported before, this one too', async () => {
		const { client, statuses, recorded } = clientOf(100);
		await statuses(4);
		for (const expected of [5, 6, 7]) {
			expect((await client.get('/v1/usage')).status).toBe(200);
			expect(recorded()).toBe(expected);
		}
	});

	test('When the usage is asked for and reports fail, then it is told what is known', async () => {
		const { client } = clientOf(100);
		ledger.before = unavailable;
		expect((await client.get('/v1/usage')).status).toBe(200);
	});
});
