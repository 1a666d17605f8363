import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { closeUntaken } from '../../shared/http/close-untaken.ts';
import { until } from '../support/until.ts';

/** ms */
const LIMIT = 1_200;
/** Of answers: the longest is more than the kernel has room for, by far; of the middle one it takes all */
const BYTES: Record<string, number> = { '/long': 60 * 1024 * 1024, '/middle': 1024 * 1024, '/short': 5 };

let server: Server;
const clients: Socket[] = [];
const unanswered: ServerResponse[] = [];

beforeEach(async () => {
	server = createServer((request, response) => {
		if (request.url === '/never') unanswered.push(response);
		else response.end('x'.repeat(BYTES[request.url!]!));
	});
	server.keepAliveTimeout = 120_000;
	closeUntaken(server, LIMIT);
	await once(server.listen(0, '127.0.0.1'), 'listening');
});

afterEach(() => {
	for (const client of clients.splice(0)) client.destroy();
	server.close();
});

interface Client {
	socket: Socket;
	isClosed: boolean;
}

async function ask(path: string): Promise<Client> {
	const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
	const client: Client = { socket, isClosed: false };
	clients.push(socket);
	socket.on('error', () => {});
	socket.on('close', () => {
		client.isClosed = true;
	});
	await once(socket, 'connect');
	socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
	return client;
}

/** What is measured is the kernel's word, which there is on Linux only. */
const onLinux = process.platform === 'linux' ? test : test.skip;

onLinux(
	'N4: When a client takes nothing of its answer, then its connection is closed; one that takes a little now and then is not, and who waits may wait',
	async () => {
		const waits = await ask('/never');
		const idle = await ask('/short');
		for (const { socket } of [waits, idle]) socket.resume();
		const slow = await ask('/long');
		const [stuck, alsoStuck] = [await ask('/long'), await ask('/middle')];
		const began = performance.now();
		// The kernel has room for more after 40 of these
		const taking = setInterval(() => slow.socket.read(Math.min(32 * 1024, slow.socket.readableLength)), LIMIT / 10);
		expect(await connections()).toBe(5);
		await until(async () => (await connections()) < 5);
		expect(performance.now() - began).toBeGreaterThanOrEqual(LIMIT);
		await until(async () => (await connections()) < 4);
		for (const client of [stuck, alsoStuck]) {
			expect(await isInKernel(client)).toBe(false);
			client.socket.resume();
			await until(() => client.isClosed);
		}
		await delay(3 * LIMIT);
		clearInterval(taking);
		expect([slow.isClosed, waits.isClosed, idle.isClosed]).toEqual([false, false, false]);
		unanswered.pop()!.end('late');
		await once(waits.socket, 'data');
		await until(async () => (await connections()) < 3); // nor does it take anything any more
		slow.socket.resume();
		await until(() => slow.isClosed);
	},
);

/** Whether the kernel has still something of the answer for it, as after a close that tells of an end */
async function isInKernel({ socket: { localPort } }: Client): Promise<boolean> {
	const hex = (port: number) => `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`;
	const own = ` ${hex((server.address() as AddressInfo).port)} ${hex(localPort!)} `;
	return (await readFile('/proc/self/net/tcp', 'latin1')).includes(own);
}

function connections(): Promise<number> {
	return new Promise((resolve) => server.getConnections((_error, count) => resolve(count)));
}
