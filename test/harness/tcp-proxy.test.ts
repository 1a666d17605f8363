import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { TcpProxy } from '../support/tcp-proxy.ts';

let echo: Server;
let proxy: TcpProxy;

beforeEach(async () => {
	echo = createServer((socket) => socket.on('error', () => {}).pipe(socket));
	await new Promise<void>((resolve) => echo.listen(0, '127.0.0.1', resolve));
	proxy = await TcpProxy.to((echo.address() as AddressInfo).port);
});

afterEach(async () => {
	await proxy.close();
	await new Promise((resolve) => echo.close(resolve));
});

async function dial(): Promise<Socket> {
	const socket = connect(proxy.port, '127.0.0.1').setNoDelay(true);
	await once(socket, 'connect');
	return socket;
}

async function answerOf(socket: Socket, text: string): Promise<string> {
	socket.write(text);
	let answer = '';
	while (answer.length < text.length) answer += String((await once(socket, 'data'))[0]);
	return answer;
}

/** How a connection ends: with an error's code, or quietly. */
function endOf(socket: Socket): Promise<string> {
	return new Promise((resolve) => {
		socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? ''));
		socket.once('close', () => resolve('closed'));
	});
}

describe('The TCP proxy that fault tests use', () => {
	test('When nothing is wrong, then bytes go through, and its URL leads to it', async () => {
		const socket = await dial();
		expect(await answerOf(socket, 'hello')).toBe('hello');
		expect(proxy.connections).toBe(1);
		expect(proxy.url('mongodb://user:word@127.0.0.1:1/name?a=b')).toBe(
			`mongodb://user:word@127.0.0.1:${proxy.port}/name?a=b`,
		);
		socket.destroy();
	});

	test('When it delays, then an answer takes twice the delay, and none overtakes another when the delay ends', async () => {
		const socket = await dial();
		await proxy.set({ kind: 'delay', ms: 60 });
		const started = performance.now();
		expect(await answerOf(socket, 'slow')).toBe('slow');
		expect(performance.now() - started).toBeGreaterThanOrEqual(119);
		socket.write('first');
		await proxy.set({ kind: 'none' });
		expect(await answerOf(socket, 'second')).toMatch(/^first/);
		socket.destroy();
	});

	test('When it hangs, then nothing comes, connections are accepted, and afterwards all of it comes', async () => {
		const socket = await dial();
		await proxy.set({ kind: 'hang' });
		const late = await dial();
		const answers = Promise.all([answerOf(socket, 'one'), answerOf(late, 'two')]);
		const winner = await Promise.race([answers, new Promise((resolve) => setTimeout(resolve, 100, 'nothing'))]);
		expect(winner).toBe('nothing');
		await proxy.set({ kind: 'none' });
		expect(await answers).toEqual(['one', 'two']);
		socket.destroy();
		late.destroy();
	});

	test('When it resets, then open and new connections end with RST', async () => {
		const socket = await dial();
		await answerOf(socket, 'x');
		const end = endOf(socket);
		await proxy.set({ kind: 'reset' });
		expect(await end).toBe('ECONNRESET');
		const next = connect(proxy.port, '127.0.0.1');
		expect(['ECONNRESET', 'closed']).toContain(await endOf(next));
	});

	test('When it is cut, then open connections close and new ones are refused, until it is mended', async () => {
		const socket = await dial();
		await answerOf(socket, 'x');
		const end = endOf(socket);
		await proxy.set({ kind: 'cut' });
		expect(await end).toBe('closed');
		expect(await endOf(connect(proxy.port, '127.0.0.1'))).toBe('ECONNREFUSED');
		await proxy.set({ kind: 'none' });
		const mended = await dial();
		expect(await answerOf(mended, 'again')).toBe('again');
		mended.destroy();
	});
});
