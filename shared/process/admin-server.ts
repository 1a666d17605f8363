import type { RequestListener, Server, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { http } from '../http/http.ts';
import { inTurn } from '../http/requests-in-turn.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { Readiness } from './readiness.ts';

/** ms that a connection is kept which neither asks nor takes anything, and that a request may take to arrive */
const PATIENCE = 5_000;
/** Connections at a time. Beyond them the one that asked nothing for longest is closed: an orchestrator is always served. */
const MAX_CONNECTIONS = 1_000;

const LIMITS = {
	headersTimeout: PATIENCE,
	requestTimeout: PATIENCE,
	keepAliveTimeout: PATIENCE,
	connectionsCheckingInterval: 1_000, // ms
	maxHeaderSize: 8 * 1024,
};

/** `/healthz`, `/readyz` and `/metrics` of a process, gateway or not, on a port of its own. */
export async function startAdminServer(
	host: string,
	port: number,
	readiness: Readiness,
	metrics: Metrics,
): Promise<Server> {
	let scrape: Promise<string> | undefined;
	/** One for all who ask meanwhile */
	const text = () => {
		scrape ??= metrics.text().finally(() => {
			scrape = undefined;
		});
		return scrape;
	};
	const server = http.createServer(LIMITS);
	const answerTo: RequestListener = (request, response) => {
		const path = request.url?.split('?')[0];
		const answer = (status: number, body: unknown) =>
			response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
		if (path === '/healthz') answer(200, { data: 'ok' });
		else if (path === '/readyz') {
			void readiness.report().then((report) => answer(report.ready ? 200 : 503, { data: report }));
		} else if (path === '/metrics') {
			void text().then((all) => response.writeHead(200, { 'content-type': metrics.contentType }).end(all));
		} else answer(404, { error: 'not found', code: 'not_found' });
	};
	server.on('request', inTurn(server, answerTo));
	closeIdle(server);
	closeOldest(server);
	await new Promise<void>((resolve, reject) => {
		server.once('error', reject);
		server.listen(port, host, resolve);
	});
	return server;
}

/** Closes a connection after PATIENCE without a byte in either direction, also one that does not take its answer. */
function closeIdle(server: Server): void {
	const answers = new WeakMap<Socket, ServerResponse>();
	server.on('request', (request, response) => answers.set(request.socket, response));
	server.timeout = PATIENCE;
	server.on('timeout', (socket) => {
		// A scrape that takes this process long is not the client's fault.
		const isAsked = answers.get(socket)?.writableEnded === false;
		if (!isAsked || socket.writableLength > 0) socket.destroy();
	});
}

/** Keeps room for a new connection. */
function closeOldest(server: Server): void {
	const connections = new Set<Socket>();
	server.on('connection', (socket) => {
		connections.add(socket);
		socket.once('close', () => connections.delete(socket));
		if (connections.size > MAX_CONNECTIONS) connections.values().next().value!.destroy();
	});
	// Who asks again becomes the newest.
	server.on('request', ({ socket }) => {
		if (connections.delete(socket)) connections.add(socket);
	});
}

/** `http://host:port` of a listening server. */
export function addressOf(server: Server): string {
	const { address, port, family } = server.address() as AddressInfo;
	return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}
