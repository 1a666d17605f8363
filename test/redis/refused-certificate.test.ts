import { createRequire } from 'node:module';
import type { Socket } from 'node:net';
import { afterAll, expect, test } from '@jest/globals';
import { RedisLink } from '../../shared/redis/redis-link.ts';
import { freePort } from '../support/free-port.ts';
import { until } from '../support/until.ts';

const tls = createRequire(import.meta.url)('node:tls') as typeof import('node:tls');
const { connect } = tls;
afterAll(() => {
	tls.connect = connect;
});

/**
 * A certificate that is not accepted, and then what the server says to being left: on a real one, that comes with every
 * other attempt that is given up in the middle of its handshake (Redis 7 on OpenSSL 3: "tlsv1 alert decode error").
 */
test('When a connection to Redis over TLS has two errors, then somebody hears the second, and the process goes on', async () => {
	const unheard: unknown[] = [];
	let second = 0;
	tls.connect = ((...given: Parameters<typeof connect>) => {
		const socket = connect(...given) as Socket;
		socket.once('error', () => setImmediate(() => sayAgain(socket)));
		return socket;
	}) as typeof connect;
	function sayAgain(socket: Socket): void {
		second++;
		try {
			socket.emit('error', new Error('tlsv1 alert decode error'));
		} catch (error) {
			unheard.push(error);
		}
	}
	const link = new RedisLink({
		url: `rediss://127.0.0.1:${await freePort()}`,
		scripts: {},
		listen: { channel: 'any', onMessage() {} },
		answerWithin: 50,
		retryAfter: 50,
		probe: (client) => client.ping(),
		onDown() {},
		onUp() {},
	});
	await until(() => second >= 4, { what: 'second errors of both connections' });
	link.close();
	expect(unheard).toEqual([]);
});
