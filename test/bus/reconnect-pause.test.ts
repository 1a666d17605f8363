import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterEach, expect, jest, test } from '@jest/globals';
import { connect } from 'nats';
import { reconnectPause } from '../../shared/bus/reconnect-pause.ts';
import { until } from '../support/until.ts';

const closings: (() => unknown)[] = [];
afterEach(async () => {
	jest.restoreAllMocks();
	for (const close of closings.splice(0).reverse()) await close();
});

/** As much of a NATS server as a client needs to call itself connected. */
async function startNats() {
	const sockets: Socket[] = [];
	const server = createServer((socket) => {
		sockets.push(socket);
		socket.on('error', () => {});
		socket.on('data', (bytes) => {
			if (bytes.includes('PING')) socket.write('PONG\r\n');
		});
		socket.write('INFO {"server_id":"one","version":"2.10.0","proto":1,"max_payload":1048576}\r\n');
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	closings.push(() => server.close());
	return { port: (server.address() as AddressInfo).port, sockets };
}

test('X4: When the clock was set back by an hour and NATS ends its connections, then the client is back at once', async () => {
	const { port, sockets } = await startNats();
	const client = await connect({ port, maxReconnectAttempts: -1, reconnectDelayHandler: reconnectPause() });
	closings.push(() => client.close());
	jest.spyOn(Date, 'now').mockReturnValue(Date.now() - 3_600_000);
	for (const socket of sockets) socket.destroy();
	await until(() => sockets.length === 2, { what: 'a second connection', timeout: 20_000 });
	await client.flush();
});

test('When nobody answers, then attempts are half a second apart', () => {
	let now = 1_000;
	const wait = reconnectPause(() => now);
	expect(wait()).toBe(Number.NEGATIVE_INFINITY);
	const left = wait();
	expect(left).toBeGreaterThanOrEqual(500);
	now += left - 1;
	expect(wait()).toBeCloseTo(1);
	now += 1;
	expect(wait()).toBe(Number.NEGATIVE_INFINITY);
});
