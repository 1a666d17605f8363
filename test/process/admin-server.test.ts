import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { Metrics } from '../../shared/metrics/metrics.ts';
import { addressOf, startAdminServer } from '../../shared/process/admin-server.ts';
import { Readiness } from '../../shared/process/readiness.ts';
import { sendRaw } from '../support/raw-http.ts';
import { until } from '../support/until.ts';

let server: Server;
let url: string;
const metrics = new Metrics('test');
let scrapes = 0;
let sockets: Socket[] = [];

beforeAll(async () => {
	metrics.gauge('something', 'Something', () => ++scrapes);
	server = await startAdminServer('127.0.0.1', 0, new Readiness([], undefined), metrics);
	url = addressOf(server);
});
afterEach(() => {
	for (const socket of sockets) socket.destroy();
	sockets = [];
});
afterAll(() => void server.close());

/** In a process of its own: both ends of 10,000 connections are more files than one may have open in many places. */
const DIALLER = `
	const { connect } = require('node:net');
	let connected = 0, closed = 0;
	const dial = () => {
		const socket = connect(Number(process.argv[1]), '127.0.0.1').resume();
		socket.on('connect', () => {
			connected++;
			if (connected === 10_000) console.log(connected + ' connected');
			else if (connected <= 9_800) dial();
		});
		socket.on('error', (error) => console.log(String(error)));
		socket.on('close', () => ++closed === 10_000 && console.log(closed + ' closed'));
	};
	for (let i = 0; i < 200; i++) dial();
`;

const get = (path: string) => sendRaw(url, `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);

async function dial(bytes: string, count: number): Promise<void> {
	const { port } = new URL(url);
	const dialled = Array.from({ length: count }, () => {
		const socket = connect(Number(port), '127.0.0.1', () => socket.write(bytes));
		return socket.on('error', () => {});
	});
	sockets.push(...dialled);
	await until(() => dialled.every(({ connecting }) => !connecting), { what: 'the connections' });
}

test('N7: When 10,000 connections do nothing, then /healthz is served beside them, and they are closed after 5 s', async () => {
	const dialler = spawn(process.execPath, ['-e', DIALLER, new URL(url).port], { stdio: ['ignore', 'pipe', 'inherit'] });
	const told = createInterface({ input: dialler.stdout })[Symbol.asyncIterator]();
	expect((await told.next()).value).toBe('10000 connected');
	expect((await get('/healthz')).status).toBe(200);
	expect((await told.next()).value).toBe('10000 closed');
	await once(dialler, 'exit');
});

test('N7: When headers do not end, or nobody asks again, then the connection is closed, too', async () => {
	await dial('GET /healthz HTTP/1.1\r\nX-Slow: ', 50);
	await dial('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n', 50);
	for (const socket of sockets) socket.resume();
	await until(() => sockets.every(({ destroyed }) => destroyed), { what: 'the connections to be closed' });
});

test('N7: When one client sends a thousand requests at once and reads nothing, then they are begun one by one', async () => {
	const before = scrapes;
	let answers = 0;
	await dial('GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(1_000), 1);
	await until(() => scrapes > before);
	expect(scrapes - before).toBeLessThan(500);
	sockets[0]!.on('data', (chunk: Buffer) => {
		answers += chunk.toString('latin1').split('HTTP/1.1 200 OK').length - 1;
	});
	await until(() => answers >= 990, { what: 'the answers' }); // a status line may be cut by two chunks
});
