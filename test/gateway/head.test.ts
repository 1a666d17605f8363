import { once } from 'node:events';
import type { Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { COMMON_HEADERS, JSON_TYPE } from '../../services/gateway/pipeline/answer.ts';
import { type AnswerHeaders, writeHead } from '../../services/gateway/pipeline/head.ts';
import { createHttpServer } from '../../services/gateway/server/http-server.ts';
import { sendRaw } from '../support/raw-http.ts';

type WriteHead = (response: ServerResponse, status: number, headers: AnswerHeaders) => unknown;

const BODY = '{"data":"Zoë"}';
const ANSWERS: Record<string, { status: number; headers: AnswerHeaders; body?: string }> = {
	'/data': { status: 200, headers: { ...COMMON_HEADERS, 'Content-Type': JSON_TYPE, 'Content-Length': 15 }, body: BODY },
	'/refusal': { status: 429, headers: { 'Content-Length': 15, 'Retry-After': '3' }, body: BODY },
	'/last': { status: 200, headers: { 'Content-Length': 15, Connection: 'close' }, body: BODY },
	'/unchanged': { status: 304, headers: { ETag: '"7"' } },
	'/deleted': { status: 204, headers: { ...COMMON_HEADERS } },
	'/unknown-length': { status: 200, headers: {}, body: BODY },
};

const servers: Server[] = [];
let urls: { ours: string; nodes: string };

beforeAll(async () => {
	const serve = async (write: WriteHead) => {
		const server = createHttpServer((request, response) => {
			const { status, headers, body } = ANSWERS[request.url!]!;
			request.resume();
			write(response, status, headers);
			response.end(body);
		}).listen(0, '127.0.0.1');
		servers.push(server);
		await once(server, 'listening');
		return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	};
	urls = { ours: await serve(writeHead), nodes: await serve((response, ...head) => response.writeHead(...head)) };
});
afterAll(() => {
	for (const server of servers) server.close();
});

const LAST = 'GET /last HTTP/1.1\r\nHost: x\r\n\r\n';
const REQUESTS = Object.keys(ANSWERS).flatMap((target) => [
	`GET ${target} HTTP/1.1\r\nHost: x\r\n\r\n`,
	`HEAD ${target} HTTP/1.1\r\nHost: x\r\n\r\n`,
	`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
	`GET ${target} HTTP/1.0\r\n\r\n`,
	`GET ${target} HTTP/1.0\r\nConnection: keep-alive\r\n\r\n`,
	`POST ${target} HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}`,
	`POST ${target} HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n{}`,
]);

test.each(REQUESTS)(
	'When %j is answered, then each byte is the one that Node would send, but for the time',
	async (request) => {
		const all = request + LAST;
		const [ours, nodes] = await Promise.all([sendRaw(urls.ours, all), sendRaw(urls.nodes, all)]);
		const untimed = ({ head, body }: typeof ours) => ({ head: head.replace(DATE, 'Date:'), body });
		expect(ours.head).toMatch(DATE);
		expect(untimed(ours)).toEqual(untimed(nodes));
	},
);

const DATE = /Date: \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT/;
