import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { inTurn } from '../../shared/http/requests-in-turn.ts';
import { until } from '../support/until.ts';

let server: Server;
let socket: Socket;
/** Answers that wait to be sent */
let waiting: ServerResponse[];
let parsed: number;
let answered: number;
let text: string;
/** Whether a connection's bytes come as `data`, as on another Node */
let withoutBuffer: boolean;
let dataEvents: number;
/** How often Node's parser was given something, and found it malformed */
let pieces: number;
let malformed: number;

beforeEach(async () => {
	[waiting, parsed, answered, text] = [[], 0, 0, ''];
	server = createServer();
	[withoutBuffer, dataEvents, pieces, malformed] = [false, 0, 0, 0];
	server.on('connection', (accepted: Socket & { _handle: { useUserBuffer?: unknown } }) => {
		if (withoutBuffer) accepted._handle.useUserBuffer = undefined;
		const parse = accepted.listeners('data')[0] as (piece: Buffer) => void;
		accepted.off('data', parse);
		accepted.on('data', (piece: Buffer) => {
			pieces++;
			parse(piece);
		});
	});
	server.on('clientError', (_error, refused: Socket) => {
		malformed++;
		refused.end('HTTP/1.1 400 Bad Request\r\n\r\n');
	});
	const take = inTurn(server, (request, response) => {
		const chunks: Buffer[] = [];
		request.on('data', (chunk: Buffer) => chunks.push(chunk));
		request.on('end', () => {
			text += Buffer.concat(chunks).toString();
			waiting.push(response);
		});
	});
	server.on('request', (request, response) => {
		parsed++;
		take(request, response);
	});
	server.on('connection', (accepted: Socket) => accepted.on('data', () => dataEvents++));
	await once(server.listen(0, '127.0.0.1'), 'listening');
	await open();
});

async function open(): Promise<void> {
	socket = connect((server.address() as AddressInfo).port, '127.0.0.1').setNoDelay(true);
	socket.on('data', (chunk: Buffer) => {
		answered += chunk.toString('latin1').split('HTTP/1.1 200 OK').length - 1;
	});
	await once(socket, 'connect');
}
afterEach(async () => {
	socket.destroy();
	server.closeAllConnections();
	await new Promise((resolve) => server.close(resolve));
});

const POST = 'POST / HTTP/1.1\r\nHost: x\r\n';
const withLength = (body: string) => `${POST}Content-Length: ${body.length}\r\n\r\n${body}`;
const inChunks = (body: string) => {
	const chunks = body.replaceAll(/.{1,50}/gs, (chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`);
	return `${POST}Transfer-Encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`;
};

/** Answers each request when it is whole, and looks whether others were parsed before that. */
async function answerAll(count: number): Promise<void> {
	for (let done = 0; done < count; done++) {
		await until(() => waiting.length > 0, { interval: 1, what: `request ${done + 1}` });
		await new Promise((resolve) => setImmediate(resolve));
		expect(parsed).toBe(done + 1);
		waiting.shift()!.end();
	}
	await until(() => answered === count);
}

const BODY = `${'{"message": "'.padEnd(90, 'm')}\r\n\r\n0\r\n\r\n${POST}\r\n"}`;

test.each([
	['chunks', [inChunks]],
	['chunks and with a length in turn', [inChunks, withLength]],
	['chunks, and more with a length', [inChunks, withLength, withLength]],
])(
	'X6: When requests with bodies in %s come in one segment, then each is parsed when the one before is answered',
	async (_, kinds) => {
		const count = 60;
		socket.write(Array.from({ length: count }, (__, at) => kinds[at % kinds.length]!(`${at} ${BODY}`)).join(''));
		await answerAll(count);
		expect(text).toBe(Array.from({ length: count }, (__, at) => `${at} ${BODY}`).join(''));
	},
);

test('X6: When each segment ends with the head of a request whose body is still to come, then none is parsed before its turn', async () => {
	const head = `${POST}Transfer-Encoding: chunked\r\nX-Long: ${'l'.repeat(600)}\r\n\r\n`;
	socket.write(head);
	for (let sent = 1; sent < 20; sent++) {
		socket.write(`0\r\n\r\n${head}`);
		await new Promise((resolve) => setTimeout(resolve, 5));
	}
	socket.write('0\r\n\r\n');
	await answerAll(20);
});

test('X6: When the end of a head is cut, then what follows it is not parsed with it', async () => {
	const head = `${POST}Transfer-Encoding: chunked\r\n\r\n`;
	for (let cut = 1; cut < 4; cut++) {
		socket.write(head.slice(0, -cut));
		await new Promise((resolve) => setTimeout(resolve, 20));
		socket.write(`${head.slice(-cut)}2\r\n{}\r\n0\r\n\r\n${inChunks('{}').slice(0, -5)}`);
		await until(() => waiting.length > 0);
		expect(parsed).toBe(2 * cut - 1);
		waiting.shift()!.end();
		await until(() => parsed === 2 * cut);
		socket.write('0\r\n\r\n');
		await until(() => waiting.length > 0);
		waiting.shift()!.end();
		await until(() => answered === 2 * cut);
	}
});

test('When 10 KB of empty lines come before a request, then they are parsed in few pieces, and the request is answered', async () => {
	const request = `${POST}\r\n`;
	socket.write(request);
	await until(() => waiting.length === 1);
	waiting.shift()!.end();
	socket.write('\r\n'.repeat(5_000));
	socket.write(`\r\n\r\n${request}${request}`);
	for (const number of [2, 3]) {
		await until(() => waiting.length === 1);
		expect(parsed).toBe(number);
		waiting.shift()!.end();
	}
	await until(() => answered === 3);
	expect(pieces).toBeLessThan(100);
});

test('When a client sends nothing but empty lines, then its connection is closed', async () => {
	socket.on('error', () => {}); // it is closed while it sends
	socket.write('\r\n'.repeat(20_000));
	await until(() => socket.closed);
	expect(pieces).toBeLessThan(100);
});

test('When 10,000 malformed heads come in one segment, then the first one ends the connection, and no other one is parsed', async () => {
	socket.on('error', () => {}); // it is closed while it sends
	socket.end('x\r\n\r\n'.repeat(10_000));
	await until(() => socket.closed);
	expect([pieces, malformed]).toEqual([1, 1]);
});

test('When another connection is read while bytes of one wait for their turn, then they stay what they were', async () => {
	socket.write(withLength('first') + withLength(BODY));
	await until(() => waiting.length === 1);
	const first = socket;
	await open();
	socket.write(withLength('x'.repeat(BODY.length * 4)));
	await until(() => waiting.length === 2);
	socket.destroy();
	socket = first;
	text = '';
	waiting[0]!.end();
	await until(() => text !== '');
	expect(text).toBe(BODY);
});

test('When requests come, then they are read into the buffer of the process, and nothing is emitted', async () => {
	socket.write(withLength(BODY));
	await answerAll(1);
	expect([text, dataEvents]).toEqual([BODY, 0]);
});

test('When a Node has no such buffer, then requests are read and answered in their turns all the same', async () => {
	withoutBuffer = true;
	socket.destroy();
	await open();
	const count = 20;
	socket.write(Array.from({ length: count }, (_, at) => [inChunks, withLength][at % 2]!(`${at} ${BODY}`)).join(''));
	await answerAll(count);
	expect(text).toBe(Array.from({ length: count }, (_, at) => `${at} ${BODY}`).join(''));
	expect(dataEvents).toBeGreaterThan(0);
});
