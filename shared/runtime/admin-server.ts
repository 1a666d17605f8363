import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { http } from '../http.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { Readiness } from './readiness.ts';

/** `/healthz`, `/readyz` and `/metrics` of a process, gateway or not, on a port of its own. */
export async function startAdminServer(
	host: string,
	port: number,
	readiness: Readiness,
	metrics: Metrics,
): Promise<Server> {
	const server = http.createServer((request, response) => {
		const path = request.url?.split('?')[0];
		const answer = (status: number, body: unknown) =>
			response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
		if (path === '/healthz') answer(200, { data: 'ok' });
		else if (path === '/readyz') {
			void readiness.report().then((report) => answer(report.ready ? 200 : 503, { data: report }));
		} else if (path === '/metrics') {
			void metrics.text().then((text) => response.writeHead(200, { 'content-type': metrics.contentType }).end(text));
		} else answer(404, { error: 'not found' });
	});
	server.maxConnections = 100;
	await new Promise<void>((resolve, reject) => {
		server.once('error', reject);
		server.listen(port, host, resolve);
	});
	return server;
}

/** `http://host:port` of a listening server. */
export function addressOf(server: Server): string {
	const { address, port, family } = server.address() as AddressInfo;
	return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}
