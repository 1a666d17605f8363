import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serveTasks } from '../forked.ts';

/** The least that an HTTP server in Node can do: it shows what the generator and the machine can do at most. */
const BODY = JSON.stringify({ data: 'x'.repeat(500) });

const server = createServer((_, response) => {
	response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': BODY.length }).end(BODY);
});
server.listen(0, '127.0.0.1', () => {
	serveTasks(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, () => undefined);
});
