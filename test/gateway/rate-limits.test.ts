import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Principal, RequestCount } from '../../shared/contract/actions.ts';
import { ApiError } from '../../shared/contract/errors.ts';
import { Reading } from '../../shared/work/reading.ts';
import { TestClock } from '../limiter/test-clock.ts';
import type { Answer, Client } from '../support/http-client.ts';
import { bookingExample, exampleBackend, impactExample, timeSlotExample } from './support/examples.ts';
import { type Backend, startGateway, type TestGateway } from './support/start-gateway.ts';

const clock = new TestClock();
const BOOKING = { date: '2026-03-16', time_slot_id: 1 };
const UNLIMITED = { name: 'Unlimited', rate: null, burst: null };
let plan = { name: 'Starter', rate: 5, burst: 10 };
let failure: Error | undefined;
/** Units of work of a dry run */
let previewed = 0;
let accounts = 0;
let gateway: TestGateway;

beforeAll(async () => {
	const backend: Backend = {
		...exampleBackend,
		'accounts.recordRequests': ({ counts }) => counts.map((count) => ({ ...count, requests: record(count) })),
		'catalog.previewSlots': () => {
			Reading.current()!.add(previewed);
			return { time_slots: [timeSlotExample], impact: impactExample };
		},
		'booking.get': () => {
			if (failure) throw failure;
			return bookingExample;
		},
	};
	gateway = await startGateway({ backend, clock });
});
afterAll(() => gateway.stop());

const recorded = new Map<string, number>();

/** Adds what a gateway reports of a month, of which others had reported 88 before. */
function record({ account_id, requests }: RequestCount): number {
	const total = (recorded.get(account_id) ?? 88) + requests;
	recorded.set(account_id, total);
	return total;
}

/** A client of an account that no other test uses. */
function newAccount(principal: Partial<Principal> = {}): Client {
	const account_id = `acc_${++accounts}`;
	return gateway.client.withKey(gateway.addKey({ account_id, package: plan, ...principal }));
}

const read = (client: Client, headers = {}) => client.get('/v1/bookings/7', { headers });
const create = (client: Client) => client.post('/v1/bookings', BOOKING);

async function times<T>(count: number, send: () => Promise<Answer<T>>): Promise<number[]> {
	const statuses: number[] = [];
	for (let i = 0; i < count; i++) statuses.push((await send()).status);
	return statuses;
}

/** Limit, remaining and reset as numbers; the last in seconds from now. */
function rate({ headers }: Answer): [number, number, number] {
	const [limit, remaining, reset] = ['limit', 'remaining', 'reset'].map((name) => headers[`x-ratelimit-${name}`]);
	for (const header of [limit, remaining, reset]) expect(header).toMatch(/^\d+$/);
	return [Number(limit), Number(remaining), Number(reset) - Math.floor(clock.now() / 1000)];
}

function expectPlanRefusal(answer: Answer, seconds: number): void {
	const error = {
		code: 'rate_limit_exceeded',
		message: 'the rate limit of your plan is exceeded',
		retry_after: seconds,
	};
	expect([answer.status, answer.text]).toEqual([429, JSON.stringify({ error, code: 'rate_limit_exceeded' })]);
	expect(answer.headers['retry-after']).toBe(String(seconds));
}

describe('R3: the headers', () => {
	test('R3: When requests come one after another, then they count down, and up again with time', async () => {
		const client = newAccount();
		expect(rate(await read(client))).toEqual([10, 9, 1]);
		expect(await times(8, () => read(client))).toEqual(Array(8).fill(200));
		expect(rate(await read(client))).toEqual([10, 0, 2]);
		clock.pass(1_000);
		expect(rate(await read(client))).toEqual([10, 4, 2]);
		clock.pass(10_000);
		expect(rate(await read(client))).toEqual([10, 9, 1]);
	});

	test('R3: When an answer is 304 or an error of any kind, then they are there, and a token is gone', async () => {
		const client = newAccount();
		const notFound = new ApiError('booking_not_found');
		const answers: [number, () => Promise<Answer>][] = [
			[304, () => read(client, { 'if-none-match': `"${bookingExample.version}"` })],
			[400, () => client.get('/v1/bookings/abc')],
			[415, () => client.post('/v1/bookings', undefined, { raw: '<x/>' })],
			[413, () => client.post('/v1/bookings', { message: 'x'.repeat(70_000) })],
			[200, () => client.request('HEAD', '/v1/bookings/7')],
		];
		let left = 10;
		for (const [status, send] of answers) {
			const answer = await send();
			expect([answer.status, ...rate(answer)]).toEqual([status, 10, --left, expect.any(Number)]);
		}
		for (const [error, status] of [
			[notFound, 404],
			[new ApiError('service_unavailable'), 503],
			[new Error('a bug'), 500],
		] as const) {
			failure = error;
			const answer = await read(client).finally(() => {
				failure = undefined;
			});
			expect([answer.status, ...rate(answer)]).toEqual([status, 10, --left, expect.any(Number)]);
		}
	});

	test('R3: When a key may not do something, then 403 has them and takes no token, also where none is left', async () => {
		const reader = newAccount({ scopes: ['read'] });
		for (let i = 0; i < 3; i++) {
			const answer = await create(reader);
			expect([answer.status, ...rate(answer)]).toEqual([403, 10, 10, 0]);
		}
		await times(10, () => read(reader));
		const answer = await create(reader);
		expect([answer.status, ...rate(answer)]).toEqual([403, 10, 0, 2]);
		const suspended = await read(newAccount({ suspended: true }));
		expect([suspended.status, ...rate(suspended)]).toEqual([403, 10, 10, 0]);
	});

	test('R4: When the month is used up, then 429 has them and takes no token', async () => {
		const month = new Date(clock.now()).toISOString().slice(0, 7);
		const client = newAccount({ quota: { month, requests: 100, limit: 100 } });
		for (let i = 0; i < 2; i++) {
			const answer = await read(client);
			expect([answer.status, ...rate(answer)]).toEqual([429, 10, 10, 0]);
			expect(Number(answer.headers['retry-after'])).toBeGreaterThan(2);
		}
	});

	test('R4: When the rate refuses, then no quota is used', async () => {
		const month = new Date(clock.now()).toISOString().slice(0, 7);
		const client = newAccount({ quota: { month, requests: 88, limit: 100 } });
		const statuses = await times(30, () => read(client));
		expect(statuses.filter((status) => status === 200)).toHaveLength(10);
		clock.pass(2_000);
		const [first, second, third] = [await read(client), await read(client), await read(client)];
		expect([first.status, second.status, third.status]).toEqual([200, 200, 429]);
		expect(third.body.error).toMatchObject({ message: 'the monthly requests of your plan are used up' });
	});

	test('When nobody is authenticated, or the plan has no rate, then they are not there', async () => {
		const anonymous = gateway.client.withKey(undefined);
		for (const answer of [
			await read(anonymous),
			await anonymous.get('/openapi.json'),
			await read(newAccount({ package: UNLIMITED })),
		]) {
			expect(Object.keys(answer.headers).filter((name) => name.startsWith('x-ratelimit'))).toEqual([]);
		}
	});
});

describe('the plan’s rate', () => {
	test('R3, R4: When the burst is used up, then 429 in the plan’s shape, and after Retry-After one passes', async () => {
		const client = newAccount({ package: { name: 'Slow', rate: 1, burst: 2 } });
		expect(await times(2, () => read(client))).toEqual([200, 200]);
		clock.pass(400);
		for (let i = 0; i < 20; i++) {
			const answer = await read(client);
			expectPlanRefusal(answer, 1);
			expect(rate(answer)).toEqual([2, 0, 2]);
		}
		clock.pass(599);
		expectPlanRefusal(await read(client), 1);
		clock.pass(1);
		expect(await times(2, () => read(client))).toEqual([200, 429]);
	});

	test('When the limit refuses, then nothing behind it is asked, and the body is not read', async () => {
		const client = newAccount();
		await times(10, () => read(client));
		gateway.calls.length = 0;
		const answer = await client.post('/v1/services', undefined, { raw: '<x/>' });
		expectPlanRefusal(answer, 1);
		expect(gateway.calls).toEqual([]);
	});

	test('R6: When requests say where they come from, then they have no more of a rate than without', async () => {
		const client = newAccount();
		let address = 0;
		const statuses = await times(12, () => read(client, { 'x-forwarded-for': `192.0.2.${++address}` }));
		expect(statuses).toEqual([...Array(10).fill(200), 429, 429]);
	});

	test('When an account has two keys, then they share its rate, and another account has its own', async () => {
		const account = { account_id: 'acc_shared', package: plan };
		const [one, other] = [gateway.addKey(account), gateway.addKey(account)].map((key) => gateway.client.withKey(key));
		await times(6, () => read(one!));
		expect(rate(await read(other!))).toEqual([10, 3, 2]);
		expect(rate(await read(newAccount()))).toEqual([10, 9, 1]);
	});

	test('When the plan is changed, then its figures count, and the bucket is not filled by it', async () => {
		const account_id = 'acc_changed';
		const own = { name: 'Starter', rate: 5, burst: 10 };
		const client = gateway.client.withKey(gateway.addKey({ account_id, package: own }));
		const change = (figures: Partial<typeof own>) => {
			Object.assign(own, figures);
			gateway.broker.broadcastLocal('accounts.changed', { account_id });
		};
		await times(10, () => read(client));
		change({ rate: 10, burst: 20 });
		const raised = await read(client);
		expect([raised.status, ...rate(raised).slice(0, 2)]).toEqual([429, 20, 0]);
		clock.pass(1_000);
		expect(await times(11, () => read(client))).toEqual([...Array(10).fill(200), 429]);
		change({ rate: 5, burst: 10 });
		const lowered = await read(client);
		expect([lowered.status, ...rate(lowered).slice(0, 2)]).toEqual([429, 10, 0]);
		clock.pass(200);
		expect(await times(2, () => read(client))).toEqual([200, 429]);
	});
});

describe('creation of bookings', () => {
	test('When more are created than half the burst, rounded up, then 429 with a text, and reads go on', async () => {
		plan = { name: 'Odd', rate: 5, burst: 9 };
		const client = newAccount();
		expect(await times(5, () => create(client))).toEqual(Array(5).fill(201));
		const refused = await create(client);
		expect([refused.status, refused.text]).toEqual([
			429,
			'{"error":"rate limit exceeded","code":"booking_rate_limit_exceeded"}',
		]);
		expect(refused.headers['retry-after']).toBe('1');
		expect(rate(refused).slice(0, 2)).toEqual([9, 4]);
		expect(await times(5, () => read(client))).toEqual([200, 200, 200, 200, 429]);
	});

	test('R4: When a creation is refused by either bucket, then it takes from neither', async () => {
		plan = { name: 'Starter', rate: 5, burst: 10 };
		const client = newAccount();
		await times(5, () => create(client));
		expect(await times(20, () => create(client))).toEqual(Array(20).fill(429));
		expect(rate(await read(client))).toEqual([10, 4, 2]);

		const reader = newAccount();
		await times(10, () => read(reader));
		expect(await times(20, () => create(reader))).toEqual(Array(20).fill(429));
		clock.pass(1_000);
		expect(await times(6, () => create(reader))).toEqual([201, 201, 201, 201, 201, 429]);
	});

	test('When both buckets are empty, then the plan’s answer comes', async () => {
		const client = newAccount();
		await times(5, () => create(client));
		await times(5, () => read(client));
		expectPlanRefusal(await create(client), 1);
	});

	test('When a create is refused, then after Retry-After one passes', async () => {
		const client = newAccount({ package: { name: 'Slow', rate: 1, burst: 4 } });
		await times(2, () => create(client));
		clock.pass(100);
		const refused = await create(client);
		expect(refused.text).toBe('{"error":"rate limit exceeded","code":"booking_rate_limit_exceeded"}');
		clock.pass(Number(refused.headers['retry-after']) * 1_000);
		expect(await times(2, () => create(client))).toEqual([201, 429]);
	});
});

describe('N1: what a dry run costs', () => {
	const dryRun = { query: { dry_run: true } };
	const change = (client: Client, options = {}) =>
		client.patch('/v1/time-slots', { time_slots: [{ id: 7, max_bookings: 1 }] }, options);

	test('N1: When dry runs have read more than the account may, then the next one is refused, and no change is', async () => {
		const client = newAccount();
		// 5 requests a second are 100,000 units of work at once.
		previewed = 60_000;
		expect(await times(2, () => change(client, dryRun))).toEqual([200, 200]);
		previewed = 0;
		const refusal = await change(client, dryRun);
		expectPlanRefusal(refusal, 5);
		expect(await times(2, () => change(client))).toEqual([200, 200]);
		clock.pass(5_000);
		expect((await change(client, dryRun)).status).toBe(200);
	});
});
