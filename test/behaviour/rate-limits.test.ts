import { describe, expect, test } from '@jest/globals';
import { expectError, expectRefusal } from '../support/expectations.ts';
import type { Answer, Client } from '../support/http-client.ts';
import { book, createService, newCustomer, slotOn, tryToBook } from '../support/scheduling.ts';
import { newAccount } from '../support/shared-product.ts';
import { until } from '../support/until.ts';

const HEADERS = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'];
const list = (client: Client) => client.get('/v1/services');

/** Requests at once, until nothing is left. */
async function exhaust(client: Client): Promise<Answer> {
	return until(
		async () => {
			const answers = await Promise.all(Array.from({ length: 20 }, () => list(client)));
			return answers.find(({ status }) => status === 429);
		},
		{ what: 'a 429' },
	);
}

function expectHeaders(answer: Answer, limit: number): void {
	const [shown, remaining, reset] = HEADERS.map((name) => answer.headers[name]);
	for (const value of [shown, remaining, reset]) expect(value).toMatch(/^\d+$/);
	expect(Number(shown)).toBe(limit);
	expect(Number(remaining)).toBeLessThanOrEqual(limit);
	expect(Number(reset)).toBeGreaterThan(1_700_000_000);
}

function expectPlanRefusal(answer: Answer): void {
	expect(answer.status).toBe(429);
	const seconds = Number(answer.headers['retry-after']);
	expect(Number.isInteger(seconds) && seconds >= 1).toBe(true);
	expect(answer.body).toEqual({
		error: { code: 'rate_limit_exceeded', message: expect.any(String), retry_after: seconds },
		code: 'rate_limit_exceeded',
	});
}

describe('Rate limits (contract §7)', () => {
	test.each([
		['Starter', 10],
		['Developer', 20],
		['Growth', 50],
	] as const)(
		'R1: When a %s account asks for more than its burst of %i at once, then no more pass',
		async (name, burst) => {
			const client = newAccount(name);
			const since = performance.now();
			const answers = await Promise.all(Array.from({ length: burst + 30 }, () => list(client)));
			const seconds = (performance.now() - since) / 1000;
			const passed = answers.filter(({ status }) => status === 200).length;
			expect(passed).toBeGreaterThanOrEqual(burst);
			expect(passed).toBeLessThanOrEqual(burst + (burst / 2) * seconds + 1);
			for (const answer of answers) expectHeaders(answer, burst);
			for (const answer of answers.filter(({ status }) => status !== 200)) expectPlanRefusal(answer);
		},
	);

	test('When an account is on Unlimited, then it has no limit and no headers of one', async () => {
		const client = newAccount();
		const answers = await Promise.all(Array.from({ length: 200 }, () => list(client)));
		expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
		for (const { headers } of answers) expect(HEADERS.filter((name) => name in headers)).toEqual([]);
	});

	test('R3: When an answer is 200, 201, 304, 400, 404 or 415, then the headers are there', async () => {
		const client = newAccount('Growth');
		const place = await slotOn(client);
		const booking = await book(client, place);
		const path = `/v1/bookings/${booking.id}`;
		const answers = [
			[200, await client.get(path)],
			[201, await tryToBook(client, { ...place, date: '2030-01-07' })],
			[304, await client.get(path, { headers: { 'if-none-match': `"${booking.version}"` } })],
			[400, await client.get('/v1/bookings/abc')],
			[400, await tryToBook(client, place)],
			[404, await client.get('/v1/bookings/123456789')],
			[412, await client.patch(path, {}, { headers: { 'if-match': '"99"' } })],
			[415, await client.post('/v1/bookings', undefined, { raw: '<x/>' })],
		] as const;
		for (const [status, answer] of answers) {
			expect(answer.status).toBe(status);
			expectHeaders(answer, 50);
		}
	});

	test('R3: When a refused request is sent again after Retry-After seconds, then it passes', async () => {
		const client = newAccount('Starter');
		const refused = await exhaust(client);
		expectPlanRefusal(refused);
		await new Promise((resolve) => setTimeout(resolve, 1_000 * Number(refused.headers['retry-after'])));
		expect((await list(client)).status).toBe(200);
	});

	test('When the bucket is empty, then 429 comes before 400 and 415, and after 404, 405 and 401', async () => {
		const client = newAccount('Starter');
		const seen = async (method: string, path: string, body?: string) => {
			await exhaust(client);
			return (await client.request(method, path, { raw: body })).status;
		};
		for (const [method, path, status, body] of [
			['GET', '/v1/services/abc', 429],
			['POST', '/v1/services', 429, '<x/>'],
			['GET', '/v1/nothing', 404],
			['PUT', '/v1/services', 405],
		] as const) {
			await until(async () => (await seen(method, path, body)) === status, { what: `${method} ${path}: ${status}` });
		}
		expect((await client.withKey('nonsense').get('/v1/services')).status).toBe(401);
	});

	test('R4: When creations are refused, then none of them is there', async () => {
		const client = newAccount('Developer');
		const place = await slotOn(client, { max_bookings: 100 });
		const answers: Answer[] = [];
		await until(
			async () => {
				const create = () => tryToBook(client, place, newCustomer());
				answers.push(...(await Promise.all(Array.from({ length: 14 }, create))));
				return answers.some(({ status }) => status !== 201);
			},
			{ what: 'a creation to be refused', interval: 1_500 }, // the rate of all requests must not be what refuses
		);
		const refused = answers.filter(({ status }) => status !== 201);
		for (const answer of refused) {
			expectError(answer, 429, 'rate limit exceeded');
			expectHeaders(answer, 20);
			expect(Number(answer.headers['retry-after'])).toBeGreaterThanOrEqual(1);
		}
		const service = await until(async () => {
			const answer = await client.get<{ bookings_count: number }>(`/v1/services/${place.service.id}`);
			return answer.status === 200 && answer.data;
		});
		expect(service.bookings_count).toBe(answers.length - refused.length);
	});

	test('I4: When a creation is replayed, then the replay takes a token of the rate', async () => {
		const client = newAccount('Growth');
		const place = await slotOn(client);
		const headers = { 'idempotency-key': 'replayed' };
		const remaining = async () => {
			const answer = await tryToBook(client, place, {}, { headers });
			return [answer.status, answer.headers['idempotent-replayed'], Number(answer.headers['x-ratelimit-remaining'])];
		};
		const [, , before] = await remaining();
		const replays = await Promise.all(Array.from({ length: 10 }, remaining));
		expect(replays.map(([status, replayed]) => [status, replayed])).toEqual(Array(10).fill([201, 'true']));
		const least = Math.min(...replays.map(([, , left]) => Number(left)));
		expect(least).toBeLessThan(Number(before));
		await until(async () => (await tryToBook(client, place, {}, { headers })).status === 429, { interval: 0 });
	});

	test('R6: When an account says that it comes from elsewhere, then its rate is the same', async () => {
		const client = newAccount('Starter');
		const since = performance.now();
		const answers = await Promise.all(
			Array.from({ length: 100 }, (_, i) =>
				client.get('/v1/services', { headers: { 'x-forwarded-for': `192.0.2.${i}` } }),
			),
		);
		const seconds = (performance.now() - since) / 1000;
		const passed = answers.filter(({ status }) => status === 200).length;
		expect(passed).toBeLessThanOrEqual(10 + 5 * seconds + 1);
	});

	test('When one account has used up its rate, then another is served', async () => {
		const [busy, quiet] = [newAccount('Starter'), newAccount('Starter')];
		expectPlanRefusal(await exhaust(busy));
		expect((await createService(quiet)).id).toBeGreaterThan(0);
		expectRefusal(await quiet.get('/v1/services/abc'), 400, 'serviceID');
	});
});
