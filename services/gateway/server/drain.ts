import type { Server } from 'node:http';
import { Server as NetServer } from 'node:net';
import type { Running } from '../../../shared/work/running.ts';

/** ms in which clients that keep connections open meet an answer with `Connection: close`, and leave by themselves */
const GRACE = 1_000;
/** ms for running requests after that: together with GRACE more than a request may take */
const LIMIT = 9_000;

/**
 * Ends an HTTP server without failing a request: no new connections, running requests are answered, idle connections are
 * closed. Every answer must already carry `Connection: close`.
 */
export async function drain(server: Server, requests: Running): Promise<void> {
	if (!server.listening) return;
	// net's `close` only stops listening. http's would also cut connections on which a request is just arriving.
	const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()));
	await Promise.race([closed, delay(GRACE)]);
	await Promise.race([requests.none(), delay(LIMIT)]);
	server.closeAllConnections();
	server.close(); // ends http's own timer
	await closed;
}

function delay(ms: number): Promise<void> {
	return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
