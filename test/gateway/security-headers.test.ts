import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { sendRaw } from '../support/raw-http.ts';
import { exampleBackend } from './support/examples.ts';
import { startGateway, type TestGateway } from './support/start-gateway.ts';

const ORIGIN = 'https://app.example.com';
const POLICY = {
	'cache-control': 'private, no-cache',
	'x-content-type-options': 'nosniff',
	'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
	'referrer-policy': 'no-referrer',
	'cross-origin-resource-policy': 'same-origin',
};

let gateway: TestGateway;
beforeAll(async () => {
	const backend = {
		...exampleBackend,
		'booking.delete': () => {
			throw new Error('a bug');
		},
	};
	gateway = await startGateway({ backend, environment: { CORS_ORIGINS: ORIGIN } });
});
afterAll(() => gateway.stop());

const preflight = { origin: ORIGIN, 'access-control-request-method': 'GET' };

test.each([
	[200, 'GET', '/v1/bookings/7', {}],
	[200, 'HEAD', '/v1/bookings/7', {}],
	[200, 'GET', '/healthz', {}],
	[204, 'OPTIONS', '/v1/bookings/7', preflight],
	[304, 'GET', '/v1/bookings/7', { 'if-none-match': '"1"' }],
	[400, 'GET', '/v1/bookings/x', {}],
	[401, 'GET', '/v1/bookings/7', { authorization: 'Bearer x' }],
	[404, 'GET', '/v1/nothing', {}],
	[405, 'OPTIONS', '/v1/bookings/7', {}],
	[415, 'POST', '/v1/bookings', { 'content-type': 'text/plain' }],
	[500, 'DELETE', '/v1/bookings/7', {}],
])(
	'When the answer is %p to %s %s, then it cannot be framed, sniffed, run, embedded or shared',
	async (status, method, path, headers) => {
		const body = method === 'POST' ? { raw: 'x' } : {};
		const answer = await gateway.client.request(method, path, { headers, ...body });
		expect([answer.status, answer.headers]).toEqual([status, expect.objectContaining(POLICY)]);
		expect(answer.headers['x-powered-by'] ?? answer.headers.server).toBeUndefined();
	},
);

test.each([
	['no HTTP', 'nonsense\r\n\r\n', 400],
	['headers that are too large', `GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
])('When a client sends %s, then that answer, too', async (_, bytes, status) => {
	const answer = await sendRaw(gateway.url, bytes);
	expect(answer.status).toBe(status);
	for (const [name, value] of Object.entries(POLICY)) expect(answer.head.toLowerCase()).toContain(`${name}: ${value}`);
});
