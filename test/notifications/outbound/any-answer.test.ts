import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { WebhookSender } from '../../../services/notifications/webhooks/outbound/send.ts';
import { until } from '../../support/until.ts';
import { type Receiver, startRaw } from './receivers.ts';

let receiver: Receiver;
let pieces: Buffer[] = [];
beforeAll(async () => {
	receiver = await startRaw((socket) => {
		for (const piece of pieces) socket.write(piece);
		if (pieces.length % 2 === 0) socket.end();
		else socket.resetAndDestroy();
	});
});
afterAll(() => receiver.close());

/** What parsers stumble over. */
const fragment = fc.oneof(
	fc.constantFrom(
		'HTTP/1.1 200 OK\r\n',
		'HTTP/1.1 100 Continue\r\n\r\n',
		'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n',
		'HTTP/1.0 999\r\n',
		'HTTP/2.0 200\r\n\r\n',
		'Transfer-Encoding: chunked\r\n',
		'Transfer-Encoding: gzip, chunked\r\n',
		'Content-Length: 5\r\n',
		'Content-Length: -1\r\n',
		'Retry-After: Infinity\r\n',
		'Location: //[::1\r\n',
		'Trailer: x\r\n',
		'\r\n',
		'5\r\nhello\r\n',
		'ffffffffffffffff\r\n',
		'0\r\n\r\n',
	),
	fc.string({ unit: 'binary', maxLength: 40 }),
);

test('When an answer is anything at all, then the attempt has an outcome that can be shown', async () => {
	const sender = new WebhookSender({ allowPrivate: true, timeout: 10_000 });
	await fc.assert(
		fc.asyncProperty(fc.array(fragment, { maxLength: 8 }), async (fragments) => {
			pieces = fragments.map((text) => Buffer.from(text, 'latin1'));
			const { status, error, retry_after } = await sender.send({ url: receiver.url, headers: {}, body: '{}' });
			expect(status === null ? error : (error ?? '')).toMatch(/^[a-z' ]*$/i);
			if (status !== null) expect(status).toBeGreaterThanOrEqual(100);
			if (retry_after !== null) expect(Number.isSafeInteger(retry_after)).toBe(true);
		}),
		{ numRuns: 200 },
	);
	await until(() => receiver.open() === 0, { what: 'the connections to be closed' });
});
