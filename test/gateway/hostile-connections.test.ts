import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createHttpServer } from '../../services/gateway/server/http-server.ts';
import { until } from '../support/until.ts';
import { exampleBackend } from './support/examples.ts';
import { startGateway, type TestGateway } from './support/start-gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
	gateway = await startGateway({ backend: exampleBackend });
});
afterAll(() => gateway.stop());

/** A connection, and whether it was closed. */
function dial(): { socket: Socket; isClosed: () => boolean } {
	const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1').on('error', () => {});
	let closed = false;
	socket.on('close', () => {
		closed = true;
	});
	return { socket, isClosed: () => closed };
}

describe('A8: limits of the server', () => {
	test('When it is made, then nothing is left to the defaults, which trust clients', () => {
		const server = createHttpServer(() => {});
		expect(server.headersTimeout).toBe(5_000);
		expect(server.requestTimeout).toBe(8_000);
		expect(server.keepAliveTimeout).toBe(65_000);
		expect(server.timeout).toBe(75_000);
		expect(server.maxConnections).toBe(10_000);
	});

	test('When there are more connections than the limit, then further ones are closed at once, and others are served', async () => {
		await gateway.client.get('/healthz'); // its connection is kept
		const limit = gateway.server.maxConnections;
		const open = await new Promise<number>((resolve) => gateway.server.getConnections((_, count) => resolve(count)));
		gateway.server.maxConnections = open + 3;
		const dialled = Array.from({ length: 6 }, dial);
		try {
			await until(() => dialled.filter(({ isClosed }) => isClosed()).length === 3, { what: 'three to be closed' });
			expect((await gateway.client.get('/healthz')).status).toBe(200);
			const told = () => gateway.lines.filter(({ msg }) => msg === 'connections refused: too many are open');
			await until(() => told().length > 0, { what: 'the log line' });
			expect(told()).toMatchObject([{ level: 40, connections: 1, limit: open + 3 }]); // one line, whatever their number
		} finally {
			gateway.server.maxConnections = limit;
			for (const { socket } of dialled) socket.destroy();
		}
		const again = dial();
		await until(() => again.socket.readyState === 'open');
		expect(again.isClosed()).toBe(false);
		again.socket.destroy();
	});

	test('When thousands of requests come at once over one connection, then they are answered in turn, and all of them', async () => {
		const { socket } = dial();
		let answers = 0;
		socket.on('data', (chunk: Buffer) => {
			answers += chunk.toString('latin1').split('HTTP/1.1 200 OK').length - 1;
		});
		socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(3_000));
		await until(() => answers >= 2_990, { what: 'the answers' }); // a status line may be cut by two chunks
		socket.destroy();
	});
});
