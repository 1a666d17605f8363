import type { Socket } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import { isDelivered } from '../../../services/notifications/webhooks/outbound/attempt.ts';
import { WebhookSender } from '../../../services/notifications/webhooks/outbound/send.ts';
import { until } from '../../support/until.ts';
import { pour, type Receiver, startAnswering, startHttp, startRaw } from './receivers.ts';

const LIMIT = 1_000; // ms, instead of the 15 s
const LATE = 'no complete answer within 1 s';
const OK = 'HTTP/1.1 200 OK\r\n';

let receiver: Receiver;
afterEach(() => receiver.close());

const message = (url = receiver.url) => ({ url, headers: { 'content-type': 'application/json' }, body: '{}' });

/** First this, then that every 20 ms. */
const drip = (first: string, chunk: string) => (socket: Socket) => {
	socket.write(first);
	pour(socket, chunk, 20);
};

/** An attempt, and the proof that its connection is gone. */
async function attempt(options: { timeout?: number } = { timeout: LIMIT }, url?: string) {
	const result = await new WebhookSender({ allowPrivate: true, ...options }).send(message(url));
	await until(() => receiver.open() === 0, { what: 'the connection to be closed' });
	return { ...result, delivered: isDelivered(result) };
}

describe('W4: the time of an attempt', () => {
	test.each<[string, (socket: Socket) => void, number | null]>([
		['accepts and says nothing', () => {}, null],
		['drips headers', drip(OK, 'a: b\r\n'), null],
		['drips an answer without an end', drip(`${OK}\r\n`, 'x'), 200],
		['promises more than it sends', (socket) => socket.write(`${OK}Content-Length: 10\r\n\r\nshort`), 200],
		['never ends its chunks', drip(`${OK}Transfer-Encoding: chunked\r\n\r\n`, '1\r\nx\r\n'), 200],
		['says "continue" now and then', drip('', 'HTTP/1.1 100 Continue\r\n\r\n'), null],
	])('When a receiver %s, then the attempt fails at its limit', async (_, converse, status) => {
		receiver = await startRaw(converse);
		expect(await attempt()).toMatchObject({ status, error: LATE, delivered: false });
	});

	test('When a receiver never shakes hands for TLS, then the attempt fails at its limit', async () => {
		receiver = await startRaw(() => {});
		expect(await attempt({ timeout: LIMIT }, receiver.url.replace('http:', 'https:'))).toMatchObject({
			status: null,
			error: LATE,
		});
	});

	/** Ten seconds of silence and five of drops: neither is too long by itself. */
	const testNightly = process.env.NIGHTLY ? test : test.skip;
	testNightly('When nothing else is said, then the limit is 15 s for everything together (NIGHTLY)', async () => {
		receiver = await startRaw((socket) => {
			setTimeout(() => drip(`${OK}\r\n`, 'x')(socket), 10_000);
		});
		const result = await attempt({});
		expect(result).toMatchObject({ status: 200, error: 'no complete answer within 15 s' });
		expect(result.duration).toBeGreaterThanOrEqual(14_990);
		expect(result.duration).toBeLessThan(16_000);
	});
});

describe('W4: the size of an answer', () => {
	const MEGABYTE = 1_048_576;

	test('When an answer has no end, then at most 64 KiB are read, and its status counts', async () => {
		let written = 0;
		receiver = await startRaw((socket) => {
			socket.write(`${OK}\r\n`);
			const chunk = Buffer.alloc(65_536);
			pour(socket, chunk);
			socket.on('close', () => {
				written = socket.bytesWritten;
			});
		});
		expect(await attempt({})).toMatchObject({ status: 200, error: null, delivered: true });
		await until(() => written > 0);
		expect(written).toBeLessThan(16 * MEGABYTE); // what the buffers of two sockets take in
	});

	test('When an answer is larger than 64 KiB and has a bad status, then it is no delivery', async () => {
		receiver = await startHttp((_, response) => response.writeHead(500).end(Buffer.alloc(MEGABYTE)));
		expect(await attempt({})).toMatchObject({ status: 500, error: null, delivered: false });
	});

	test('When headers have no end, then they are refused', async () => {
		receiver = await startRaw((socket) => {
			socket.write(OK);
			pour(socket, `a: ${'b'.repeat(1_000)}\r\n`);
		});
		expect(await attempt({})).toMatchObject({ status: null, error: "the answer's headers are too large" });
	});

	test('When interim answers have no end, then they are refused', async () => {
		receiver = await startRaw((socket) => pour(socket, 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(100)));
		expect(await attempt({})).toMatchObject({ status: null, error: 'the answer does not begin' });
	});

	test.each(['gzip', 'br', 'deflate', 'zstd'])(
		'When an answer says it is %s, then nothing decompresses it',
		async (encoding) => {
			const headers = `Content-Encoding: ${encoding}\r\nContent-Length: 17\r\n\r\n`;
			receiver = await startAnswering(`${OK}${headers}not what it says.`);
			expect(await attempt({})).toMatchObject({ status: 200, error: null, delivered: true });
		},
	);

	test('When a message is sent, then no compressed answer is asked for', async () => {
		let asked: unknown = 'nothing yet';
		receiver = await startHttp((request, response) => {
			asked = request.headers['accept-encoding'];
			response.end();
		});
		await attempt({});
		expect(asked).toBeUndefined();
	});
});
