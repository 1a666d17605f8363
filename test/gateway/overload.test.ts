import { connect } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { ADMISSION } from '../../services/gateway/admission/admission.ts';
import { COMMON_HEADERS } from '../../services/gateway/pipeline/answer.ts';
import type { Answer } from '../support/http-client.ts';
import { until } from '../support/until.ts';
import { bookingExample, eventExample, exampleBackend } from './support/examples.ts';
import { startGateway, type TestGateway } from './support/start-gateway.ts';

const FULL = ADMISSION.LIMIT + ADMISSION.BURST;
/** ms for which requests may have been under way before a test: their deadline is at 9,000 */
const FRESH = 5_000;
const ORIGIN = 'https://app.example.com';
const REFUSED = { error: 'service unavailable', code: 'service_unavailable' };

let gateway: TestGateway;
/** Answers the requests that wait. */
let release: () => void;
/** The connections whose requests fill the gateway, since when (monotonic ms), and how many of them were served, or ended by their deadline */
let filled: { sockets: ReturnType<typeof connect>[]; since: number; answers: () => number };

beforeAll(async () => {
	let gate = Promise.withResolvers<void>();
	release = () => {
		gate.resolve();
		gate = Promise.withResolvers<void>();
	};
	gateway = await startGateway({
		environment: { CORS_ORIGINS: ORIGIN },
		backend: {
			...exampleBackend,
			'booking.get': () => gate.promise.then(() => bookingExample),
			'notifications.listEvents': () =>
				gate.promise.then(() => ({ events: [eventExample], has_more: false, next_after: 1 })),
		},
	});
});
afterAll(() => gateway.stop());

const called = () => gateway.calls.filter(({ action }) => action === 'booking.get').length;

/** As many requests as the gateway begins, each over a connection of its own: of one it begins one at a time. */
async function fill(): Promise<void> {
	const [before, since] = [called(), performance.now()];
	let answers = 0;
	const request = `GET /v1/bookings/7 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${gateway.client.key}\r\n\r\n`;
	const sockets = Array.from({ length: FULL }, () => {
		const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1').on('error', () => {});
		socket.once('data', (chunk: Buffer) => {
			if (/^HTTP\/1\.1 (200|504) /.test(chunk.toString('latin1'))) answers++;
		});
		socket.write(request);
		return socket;
	});
	await until(() => called() === before + FULL, { what: `${FULL} requests under way` });
	filled = { sockets, since, answers: () => answers };
}

async function empty(): Promise<void> {
	release();
	await until(() => filled.answers() === FULL, { what: 'all that were begun to be answered' });
	for (const socket of filled.sockets) socket.destroy();
}

/** What comes back for bytes that are sent over a connection of their own, until so many answers are there; pieces come apart. */
async function exchange(bytes: string, answers: number, more?: { after: RegExp; bytes: string | string[] }) {
	const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1')
		.setNoDelay(true)
		.on('error', () => {});
	let text = '';
	socket.on('data', (chunk: Buffer) => {
		text += chunk.toString('latin1');
	});
	socket.write(bytes);
	if (more) {
		await until(() => more.after.test(text), { what: `an answer like ${more.after}` });
		for (const piece of [more.bytes].flat()) {
			socket.write(piece);
			await new Promise((resolve) => setTimeout(resolve, 20));
		}
	}
	await until(() => text.split('HTTP/1.1 ').length - 1 === answers, { what: `${answers} answers` });
	socket.destroy();
	return text;
}

const statuses = (text: string) => [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status));
const probe = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n';
const post = (headers: string, body: string) =>
	`POST /v1/bookings HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${headers}\r\n${body}`;

describe('a gateway that is asked for more than it serves', () => {
	beforeAll(() => fill());
	afterAll(() => empty());
	/** Its requests end by their deadline: on a slow machine others take their place before. */
	beforeEach(async () => {
		if (performance.now() - filled.since < FRESH) return;
		await empty();
		const emptied = performance.now();
		await until(() => performance.now() - emptied > 2 * ADMISSION.LULL, { what: 'a lull' });
		await fill();
	});

	test('When a request comes, then it is refused before its key is looked at, in the envelope, with the headers of every answer', async () => {
		const before = gateway.calls.length;
		const headers = { 'x-request-id': 'mine-7', origin: ORIGIN };
		const answer: Answer = await gateway.client.withKey('wrong').get('/v1/bookings/7', { headers });
		expect(answer.status).toBe(503);
		expect(answer.body).toEqual(REFUSED);
		const common = Object.entries(COMMON_HEADERS).map(([name, value]) => [name.toLowerCase(), value]);
		expect(answer.headers).toMatchObject({
			...Object.fromEntries(common),
			'content-type': 'application/json; charset=utf-8',
			'retry-after': '1',
			'x-request-id': 'mine-7',
			'access-control-allow-origin': ORIGIN,
			connection: 'keep-alive',
		});
		expect(gateway.calls).toHaveLength(before);
		expect((await gateway.client.get('/v1/bookings/7')).headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
	});

	test('When the method is HEAD, then the answer has no body, and the connection goes on', async () => {
		const text = await exchange(`HEAD /v1/services HTTP/1.1\r\nHost: x\r\n\r\n${probe}`, 2);
		expect(statuses(text)).toEqual([503, 200]);
		expect(text).not.toContain(REFUSED.error);
	});

	test('When requests are pipelined, then each is refused, in order, and the connection goes on', async () => {
		const three = 'GET /v1/services HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(3);
		expect(statuses(await exchange(`${three}${probe}${three}`, 7))).toEqual([503, 503, 503, 200, 503, 503, 503]);
	});

	test.each([
		['its length', post('Content-Length: 11\r\n', '{"a":"bcd"}')],
		['chunks', post('Transfer-Encoding: chunked\r\n', '5\r\n{"a":\r\n6\r\n"bcd"}\r\n0\r\n\r\n')],
		['100 KiB', post('Content-Length: 102400\r\n', 'x'.repeat(102_400))],
	])(
		'When a refused request has a body of %s, then it is read and dropped, and the connection goes on',
		async (_, one) => {
			expect(statuses(await exchange(`${one}${one}${probe}`, 3))).toEqual([503, 503, 200]);
		},
	);

	test('When the body comes after the refusal, then likewise', async () => {
		const more = { after: /503/, bytes: `{"a":"bcd"}${probe}` };
		expect(statuses(await exchange(post('Content-Length: 11\r\n', ''), 2, more))).toEqual([503, 200]);
	});

	test('When a client waits for 100 Continue, then it gets the refusal instead, and no other request is read for a body', async () => {
		const text = await exchange(post('Content-Length: 11\r\nExpect: 100-continue\r\n', ''), 1);
		expect(statuses(text)).toEqual([503]);
		expect(text).toMatch(/\r\nConnection: close\r\n/i);
	});

	/** Both are refused or not over one connection, the second when the first one's answer is there. */
	async function inTurn(first: string, second: string | string[]): Promise<string[]> {
		const text = await exchange(first, 2, { after: /\r\n\r\n/, bytes: second });
		return text.split(/(?=HTTP\/1\.1 )/);
	}
	const get = (headers = '', target = '/v1/services') => `GET ${target} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`;
	/** Only what was refused before it was parsed has none. */
	const DATE = /\r\nDate: [^\r]+/;

	test('When a plain GET comes over a connection that was used, then it is refused unparsed, in the same words', async () => {
		for (const headers of ['X-Request-Id: mine-8\r\n', 'Connection: keep-alive\r\nx-request-id: mine-8 \r\n']) {
			const [parsed, unparsed] = await inTurn(get(headers), get(headers));
			expect(parsed).toMatch(DATE);
			const lines = (answer: string) => answer.replace(DATE, '').split('\r\n').sort();
			expect(lines(unparsed!)).toEqual(lines(parsed!));
		}
		const [, unnamed] = await inTurn(get(), get('X-Request-Id: <b>\r\n'));
		expect(unnamed).not.toMatch(DATE);
		expect(unnamed).toMatch(/\r\nX-Request-Id: [0-9a-f-]{36}\r\n/);
	});

	test.each([
		['has a body', [get('Content-Length: 5\r\n'), 'GET /'], 503],
		['has a body in chunks', [get('transfer-encoding: chunked\r\n'), '0\r\n\r\n'], 503],
		['comes from a page', get(`Origin: ${ORIGIN}\r\n`), 503],
		['is the last of its connection', get('Connection: close\r\n'), 503],
		['has a long head', get(`X-Long: ${'x'.repeat(1_024)}\r\n`), 503],
		['is of HTTP/1.0', get().replace('/1.1', '/1.0'), 503],
		['is a DELETE', get().replace('GET', 'DELETE'), 503],
		['has a header that hides in another', get('X-A: b\nContent-Length: 5\r\n'), 400],
		['has a folded header', get('X-A: b\r\n Content-Length: 5\r\n'), 400],
		['has a space before a colon', get('Content-Length : 5\r\n'), 400],
		['asks for its health', get('', '/healthz'), 200],
		['asks for its health with a query', get('', '/healthz?x=1'), 200],
		['asks for its health by its whole address', get('', 'http://x/healthz?'), 200],
	])('When a request %s, then it is parsed before it is answered', async (_, second, status) => {
		const [, answer] = await inTurn(get(), second);
		expect(statuses(answer!)).toEqual([status]);
		if (status !== 400) expect(answer).toMatch(DATE);
	});

	test('When a head comes in two parts, then its second part is not taken for one', async () => {
		const [, answer, ...others] = await inTurn(get(), ['GET /v1/services HTTP/1.1\r\nX-Begun: ', get()]);
		expect(answer).toMatch(DATE);
		expect(others).toEqual([]);
	});

	test('When its health is asked for, then it tells', async () => {
		expect((await gateway.client.get('/healthz')).status).toBe(200);
		expect([200, 503]).toContain((await gateway.client.get('/readyz')).status);
		expect((await gateway.client.get('/readyz')).text).toContain('checks');
	});

	test('When requests are refused, then the log has a line with their number, not one for each', async () => {
		const told = () => gateway.lines.filter(({ msg }) => msg === 'requests refused: more come than can be served');
		const lines = () => gateway.lines.filter(({ msg }) => msg === 'request').length;
		const [before, linesBefore] = [told().length, lines()];
		await until(async () => {
			expect((await gateway.client.get('/v1/services')).status).toBe(503);
			return told().length > before;
		});
		expect(told().at(-1)).toMatchObject({ level: 40, requests: expect.any(Number) });
		expect(lines()).toBe(linesBefore);
	});
});

test('When a gateway was overloaded, then it served every request that it had begun, and serves the next ones', async () => {
	const before = called();
	const answer = gateway.client.get('/v1/bookings/7');
	await until(() => called() === before + 1, { what: 'the call' });
	release();
	expect((await answer).status).toBe(200);
});

test('When requests wait for an event, or for their client to send the rest, then as many others are begun as ever', async () => {
	const key = `Authorization: Bearer ${gateway.client.key}\r\n`;
	const waiting = Array.from({ length: 50 }, () => {
		const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1').on('error', () => {});
		socket.write(`GET /v1/events?wait=30 HTTP/1.1\r\nHost: x\r\n${key}\r\n`);
		return socket;
	});
	const polls = () => gateway.calls.filter(({ action }) => action === 'notifications.listEvents').length;
	await until(() => polls() === 50, { what: 'the polls to wait' });
	const slow = connect(Number(new URL(gateway.url).port), '127.0.0.1').on('error', () => {});
	let text = '';
	slow.on('data', (chunk: Buffer) => {
		text += chunk.toString('latin1');
	});
	slow.write(post(`${key}Expect: 100-continue\r\nContent-Length: 11\r\n`, ''));
	await until(() => text.startsWith('HTTP/1.1 100 Continue'), { what: 'the wait for a body' });
	await fill();
	expect((await gateway.client.get('/v1/services')).status).toBe(503);
	await empty();
	for (const one of [...waiting, slow]) one.destroy();
});
