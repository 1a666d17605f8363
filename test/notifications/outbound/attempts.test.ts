import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { isDelivered } from '../../../services/notifications/webhooks/outbound/attempt.ts';
import { WebhookSender } from '../../../services/notifications/webhooks/outbound/send.ts';
import { TestClock } from '../../accounts/test-clock.ts';
import { freePort } from '../../support/free-port.ts';
import { until } from '../../support/until.ts';
import { type Canary, startCanary } from './canary.ts';
import { type Receiver, startAnswering, startHttp, startRaw } from './receivers.ts';

const BROKEN = 'the connection was closed before the answer was complete';

let canary: Canary;
let receiver: Receiver;
beforeAll(async () => {
	canary = await startCanary();
});
afterEach(() => receiver?.close());
afterAll(() => canary.close());

const sender = new WebhookSender({ allowPrivate: true });
const message = (url = receiver.url) => ({ url, headers: { 'content-type': 'application/json' }, body: '{}' });

async function attempt(url?: string) {
	const result = await sender.send(message(url));
	return { ...result, delivered: isDelivered(result) };
}

describe('an attempt', () => {
	test('When a receiver answers 2xx, then headers and body came as they were given', async () => {
		const seen: unknown[] = [];
		receiver = await startHttp(async (request, response) => {
			const body = Buffer.concat(await request.toArray()).toString();
			seen.push(request.method, request.url, request.headers, body);
			response.writeHead(204).end();
		});
		const body = '{"name":"Zoë 🎹"}';
		const headers = { 'content-type': 'application/json', 'webhook-id': 'evt_1_1' };
		const clock = new TestClock('2026-11-21T09:30:00.000Z');
		const result = await new WebhookSender({ allowPrivate: true, clock }).send({
			url: `${receiver.url}?a=1&b=%20`,
			headers,
			body,
		});
		expect(result).toEqual({
			at: '2026-11-21T09:30:00.000Z',
			duration: 0,
			status: 204,
			error: null,
			retry_after: null,
		});
		const expected = { ...headers, host: `127.0.0.1:${receiver.port}`, 'content-length': '20', connection: 'close' };
		expect(seen).toEqual(['POST', '/hooks?a=1&b=%20', expected, body]);
	});

	test.each([200, 201, 202, 204, 299])('When the status is %d, then it is a delivery', async (status) => {
		receiver = await startHttp((_, response) => response.writeHead(status).end());
		expect(await attempt()).toMatchObject({ status, error: null, delivered: true });
	});

	test.each([300, 304, 400, 401, 404, 410, 429, 500, 503, 599])(
		'When the status is %d, then it is none',
		async (status) => {
			receiver = await startHttp((_, response) => response.writeHead(status).end());
			expect(await attempt()).toMatchObject({ status, error: null, delivered: false });
		},
	);

	test.each([301, 302, 303, 307, 308])(
		'W5: When the answer is a %d to the canary, then it is not followed',
		async (status) => {
			const location = `http://127.0.0.1:${canary.port}/`;
			const headers = { location, refresh: `0; url=${location}`, 'alt-svc': `h2=":${canary.port}"` };
			receiver = await startHttp((_, response) => response.writeHead(status, headers).end());
			expect(await attempt()).toMatchObject({ status, error: null, delivered: false });
			expect(await attempt()).toMatchObject({ status });
			expect(canary.connections()).toBe(0);
		},
	);

	test.each([
		['7', 7],
		['0', 0],
		['Sat, 21 Nov 2026 09:31:30 GMT', 90],
		['Sat, 21 Nov 2026 09:00:00 GMT', 0],
		['soon', null],
		['-1', null],
		['1.5', null],
		['99999999999', null],
	])('When Retry-After is %j, then that is %p seconds', async (header, seconds) => {
		receiver = await startHttp((_, response) => {
			response.sendDate = false;
			response.writeHead(503, { 'retry-after': header }).end();
		});
		const clock = new TestClock('2026-11-21T09:30:00.000Z');
		const result = await new WebhookSender({ allowPrivate: true, clock }).send(message());
		expect(result).toMatchObject({ status: 503, retry_after: seconds });
	});

	test.each(['08:30', '10:30'])(
		'X4: When Retry-After is a date, then our own clock is not asked, as at %s',
		async (time) => {
			const headers = { 'retry-after': 'Sat, 21 Nov 2026 09:31:30 GMT', date: 'Sat, 21 Nov 2026 09:30:00 GMT' };
			receiver = await startHttp((_, response) => response.writeHead(503, headers).end());
			const clock = new TestClock(`2026-11-21T${time}:00.000Z`);
			const result = await new WebhookSender({ allowPrivate: true, clock }).send(message());
			expect(result).toMatchObject({ status: 503, retry_after: 90 });
		},
	);

	test.each([
		['no HTTP', 'SSH-2.0-OpenSSH_9.9\r\n', null, 'the answer is not valid HTTP'],
		['a header that is none', 'HTTP/1.1 200 OK\r\nno header\r\n\r\n', null, 'the answer is not valid HTTP'],
		[
			'two lengths',
			'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
			null,
			'the answer is not valid HTTP',
		],
		['another protocol', 'HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: h2c\r\n\r\n', 101, null],
	])('When the answer is %s, then it is no delivery', async (_, text, status, error) => {
		receiver = await startAnswering(text);
		expect(await attempt()).toMatchObject({ status, error, delivered: false });
		await until(() => receiver.open() === 0, { what: 'the connection to be closed' });
	});

	test.each([
		['nothing', '', null],
		['half of the headers', 'HTTP/1.1 200 OK\r\nContent-', null],
		['half of the answer', 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nshort', 200],
	])('When the receiver says %s and goes, then it is no delivery', async (_, text, status) => {
		receiver = await startRaw((socket) => socket.end(text));
		expect(await attempt()).toMatchObject({ status, error: BROKEN, delivered: false });
		await receiver.close();
		receiver = await startRaw((socket) => socket.write(text, () => socket.resetAndDestroy()));
		expect(await attempt()).toMatchObject({ error: BROKEN, delivered: false });
	});

	test('When nobody listens, then that is said', async () => {
		expect(await attempt(`http://127.0.0.1:${await freePort()}/`)).toMatchObject({
			status: null,
			error: 'the connection was refused',
		});
	});

	test('When a message cannot be sent at all, then the attempt says so instead of throwing', async () => {
		receiver = await startHttp((_, response) => response.end());
		const result = await sender.send({ ...message(), headers: { 'x-broken': 'a\r\nb' } });
		expect(result).toMatchObject({ status: null, error: 'the request failed' });
		expect(await sender.send(message('/hooks'))).toMatchObject({ error: expect.stringContaining('complete URL') });
		expect(receiver.connections()).toBe(0);
	});

	test('When two messages go to one receiver, then each has a connection of its own', async () => {
		receiver = await startHttp((_, response) => response.writeHead(200, { connection: 'keep-alive' }).end());
		await attempt();
		await attempt();
		expect(receiver.connections()).toBe(2);
		await until(() => receiver.open() === 0);
	});
});

describe('attempts that are ended', () => {
	test('When an attempt is cancelled, then it fails, and one that is cancelled before it begins makes no connection', async () => {
		receiver = await startHttp(() => {});
		const sender = new WebhookSender({ allowPrivate: true });
		const ending = new AbortController();
		const running = sender.send({ ...message(), signal: ending.signal });
		await until(() => receiver.open() === 1);
		ending.abort();
		const cancelled = { status: null, error: 'the attempt was cancelled' };
		expect(await running).toMatchObject(cancelled);
		expect(await sender.send({ ...message(), signal: ending.signal })).toMatchObject(cancelled);
		expect(receiver.connections()).toBe(1);
		await until(() => receiver.open() === 0);
	});

	test('When the sender closes, then running attempts end, and later ones do not begin', async () => {
		receiver = await startHttp(() => {});
		const closing = new WebhookSender({ allowPrivate: true });
		const attempts = [closing.send(message()), closing.send(message())];
		await until(() => receiver.open() === 2);
		await closing.close();
		for (const result of await Promise.all(attempts)) {
			expect(result).toMatchObject({ status: null, error: 'the attempt was cancelled' });
		}
		expect(await closing.send(message())).toMatchObject({ error: 'the attempt was cancelled' });
		expect(receiver.connections()).toBe(2);
		await until(() => receiver.open() === 0);
	});
});
