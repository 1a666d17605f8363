import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { headers as documented, headerParameters } from '../../services/gateway/openapi/components.ts';
import { exampleBackend } from './support/examples.ts';
import { startGateway, type TestGateway } from './support/start-gateway.ts';

const ORIGIN = 'https://app.example.com';

let gateway: TestGateway;
beforeAll(async () => {
	const environment = { CORS_ORIGINS: `${ORIGIN}, https://admin.example.com` };
	gateway = await startGateway({ backend: exampleBackend, environment });
});
afterAll(() => gateway.stop());

const ask = (method: string, path: string, headers: Record<string, string>) =>
	gateway.client.request(method, path, { headers });

describe('preflight', () => {
	const preflight = (origin: string, path = '/v1/bookings/7') =>
		gateway.client
			.withKey(undefined)
			.request('OPTIONS', path, { headers: { origin, 'access-control-request-method': 'PATCH' } });

	test('When a configured origin asks, then 204 names the methods and headers, and nothing runs', async () => {
		gateway.calls.length = 0;
		const { status, text, headers } = await preflight(ORIGIN);
		expect([status, text]).toEqual([204, '']);
		expect(headers).toMatchObject({
			'access-control-allow-origin': ORIGIN,
			'access-control-allow-methods': 'GET, HEAD, PATCH, DELETE',
			'access-control-allow-headers': expect.stringContaining('Idempotency-Key'),
			vary: 'Origin',
		});
		expect(headers['access-control-allow-credentials']).toBeUndefined();
		expect(gateway.calls).toEqual([]);
	});

	test.each([
		'https://app.example.co',
		'https://app.example.com.evil.example',
		'h',
		'null',
		'*',
		'http://app.example.com',
		'https://APP.example.com',
	])('When the origin is %s, then 405 without leave', async (origin) => {
		const { status, headers } = await preflight(origin);
		expect([status, headers['access-control-allow-origin'], headers.vary]).toEqual([405, undefined, 'Origin']);
	});

	test('When the path is unknown, then 404', async () => {
		expect((await preflight(ORIGIN, '/v1/nothing')).status).toBe(404);
	});
});

test('When a page of a configured origin calls, then it may read the answer, errors too, and the headers that matter', async () => {
	for (const path of ['/v1/bookings/7', '/v1/bookings/0', '/v1/nothing']) {
		const { headers } = await ask('GET', path, { origin: ORIGIN });
		expect(headers['access-control-allow-origin']).toBe(ORIGIN);
		for (const name of [
			'ETag',
			'Location',
			'X-Request-Id',
			'Retry-After',
			'X-RateLimit-Remaining',
			'Idempotent-Replayed',
		]) {
			expect(headers['access-control-expose-headers']).toContain(name);
		}
	}
});

test('When there is no origin, then the answer is without leave but kept apart', async () => {
	const { headers } = await ask('GET', '/v1/bookings/7', {});
	expect([headers['access-control-allow-origin'], headers.vary]).toEqual([undefined, 'Origin']);
});

test('When the reference has a header, then pages of a configured origin may send or read it', async () => {
	const asked = { origin: ORIGIN, 'access-control-request-method': 'PATCH' };
	const allowed = (await ask('OPTIONS', '/v1/bookings/7', asked)).headers['access-control-allow-headers']!;
	const sent = Object.values(headerParameters).map(({ name }) => name);
	expect(allowed.split(', ')).toEqual(expect.arrayContaining([...sent, 'Authorization', 'Content-Type']));

	const { headers } = await ask('GET', '/v1/bookings/7', { origin: ORIGIN });
	const answered = Object.keys(documented).filter((name) => name !== 'WWW-Authenticate'); // for browsers themselves
	expect(headers['access-control-expose-headers']!.split(', ')).toEqual(expect.arrayContaining(answered));
});

test('When a limit of the plan refuses a page of a configured origin, then it may read that, too', async () => {
	const quota = { month: new Date().toISOString().slice(0, 7), requests: 1, limit: 1 };
	const key = gateway.addKey({ account_id: 'acc_used_up', quota });
	const { status, headers } = await gateway.client.withKey(key).get('/v1/bookings/7', { headers: { origin: ORIGIN } });
	expect([status, headers['access-control-allow-origin']]).toEqual([429, ORIGIN]);
});

test('When CORS_ORIGINS is not set, then no origin is let in, and nothing is said about any', async () => {
	const closed = await startGateway({ backend: exampleBackend });
	for (const [method, status] of [
		['OPTIONS', 405],
		['GET', 200],
	] as const) {
		const headers = { origin: ORIGIN, 'access-control-request-method': 'GET' };
		const answer = await closed.client.request(method, '/v1/bookings/7', { headers });
		const cors = Object.keys(answer.headers).filter((name) => name === 'vary' || name.startsWith('access-control-'));
		expect([answer.status, cors]).toEqual([status, []]);
	}
	await closed.stop();
});
