import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { expectEnvelope } from '../support/expectations.ts';
import { sendRaw } from '../support/raw-http.ts';
import { until } from '../support/until.ts';
import { exampleBackend } from './support/examples.ts';
import { startGateway, type TestGateway } from './support/start-gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
	gateway = await startGateway({
		backend: {
			...exampleBackend,
			'booking.get': () => {
				throw new Error('E11000 duplicate key ada@example.com index customer_key');
			},
		},
	});
});
afterAll(() => gateway.stop());

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('what never becomes a request', () => {
	test.each([
		['a bad request line', 'NONSENSE\r\n\r\n', 400, 'Bad Request'],
		['an unknown method', 'FOO / HTTP/1.1\r\nHost: x\r\n\r\n', 400, 'Bad Request'],
		['no Host', 'GET /v1/bookings HTTP/1.1\r\nConnection: close\r\n\r\n', 400, 'Bad Request'],
		[
			'two lengths',
			'POST /v1/bookings HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
			400,
			'Bad Request',
		],
		['a tunnel', 'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n', 400, 'Bad Request'],
		[
			'headers too large',
			`GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(17_000)}\r\n\r\n`,
			431,
			'request headers are too large',
		],
		['a path of two slashes', 'GET //v1/bookings HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', 404, 'not found'],
		['an asterisk', 'OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', 404, 'not found'],
		[
			'an unknown expectation',
			'GET /healthz HTTP/1.1\r\nHost: x\r\nExpect: x\r\nConnection: close\r\n\r\n',
			200,
			undefined,
		],
		[
			'an absolute target',
			'GET http://x/v1/nothing?a=1 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
			404,
			'not found',
		],
	])('When %s comes, then the answer is the envelope', async (_what, bytes, status, error) => {
		const answer = await sendRaw(gateway.url, bytes);
		expect(answer.status).toBe(status);
		const body = JSON.parse(answer.body) as object;
		expect(body).toMatchObject(error === undefined ? { data: 'ok' } : { error });
		if (error !== undefined) expectEnvelope({ status, body });
		expect(answer.head).toMatch(/X-Request-Id: \S{36}/);
		expect(answer.head).toContain('Content-Type: application/json; charset=utf-8');
	});
});

test('When a body breaks the rules of chunks, then 400 in the envelope, and it is not logged as an error', async () => {
	const head = `POST /v1/bookings HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${gateway.client.key}\r\nContent-Type: application/json\r\n`;
	gateway.lines.length = 0;
	const answer = await sendRaw(gateway.url, `${head}Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\nxyz\r\n`);
	expect([answer.status, answer.body]).toEqual([400, '{"error":"Bad Request","code":"invalid_request"}']);
	const line = await until(() => gateway.lines[0], { what: 'the log line' });
	expect(line).toMatchObject({ msg: 'request', operation: 'createBooking' });
});

test('When a client asks before it sends, then it is refused before the body and told to go on only where it may', async () => {
	const head = (key: string) =>
		`POST /v1/bookings HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n` +
		'Content-Length: 40\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n';
	const refused = await sendRaw(gateway.url, head('nobody'));
	expect(refused.status).toBe(401);
	const body = '{"date":"2026-11-23","time_slot_id":7   }';
	const taken = await sendRaw(gateway.url, head(gateway.client.key!) + body);
	expect(taken.head).toContain('100 Continue');
});

describe('headers of every answer', () => {
	test('When a request id is harmless, then it comes back and crosses the bus; else there is a new one', async () => {
		const ask = (id: string) => gateway.client.get('/v1/services/3', { headers: { 'x-request-id': id } });
		expect((await ask('import-1.a_B')).headers['x-request-id']).toBe('import-1.a_B');
		expect(gateway.calls.at(-1)!.requestID).toBe('import-1.a_B');
		for (const id of ['a b', 'x'.repeat(129), 'a/b', '']) expect((await ask(id)).headers['x-request-id']).toMatch(UUID);
	});

	test.each(['/v1/services/3', '/v1/bookings/7', '/v1/nothing', '/healthz'])(
		'When %s is asked for, then the answer is kept out of shared caches and is no page',
		async (path) => {
			const { headers } = await gateway.client.get(path);
			expect(headers).toMatchObject({ 'cache-control': 'private, no-cache', 'x-content-type-options': 'nosniff' });
		},
	);
});

test('A9: When an action fails in an unforeseen way, then 500 says nothing more, and the log has the rest', async () => {
	const answer = await gateway.client.get('/v1/bookings/7', { headers: { 'x-request-id': 'unforeseen' } });
	expect([answer.status, answer.text]).toEqual([500, '{"error":"internal error","code":"internal_error"}']);
	const line = gateway.lines.find((entry) => entry.request_id === 'unforeseen')!;
	expect(line).toMatchObject({ msg: 'internal error', err: { message: expect.stringContaining('E11000') } });
});

test('A9: When requests are logged, then one line each, without URL, key or query', async () => {
	gateway.lines.length = 0;
	await gateway.client.get('/v1/bookings?service_id=3&page=1&page_size=20&customer_email=ada@example.com');
	await gateway.client.get('/v1/secret-path');
	const requests = gateway.lines.filter((line) => line.msg === 'request');
	expect(requests).toMatchObject([
		{ method: 'GET', operation: 'listBookings', status: 200, account_id: 'acc_test' },
		{ method: 'GET', status: 404 },
	]);
	const text = JSON.stringify(gateway.lines);
	for (const secret of [gateway.client.key!, 'ada@example.com', 'secret-path']) expect(text).not.toContain(secret);
});

test('When nobody calls from a browser, then OPTIONS runs nothing', async () => {
	gateway.calls.length = 0;
	const headers = { origin: 'https://app.example.com', 'access-control-request-method': 'DELETE' };
	const answer = await gateway.client.request('OPTIONS', '/v1/bookings/7', { headers });
	expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([405, undefined]);
	expect(gateway.calls).toEqual([]);
});
