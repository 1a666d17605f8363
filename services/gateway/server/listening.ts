import type { Server } from 'node:http';
import { Server as NetServer } from 'node:net';
import type { Clock } from '../../../shared/engine/clock.ts';
import { tellTogether } from '../../../shared/engine/tell-together.ts';
import type { Logger } from '../../../shared/log/log.ts';
import { CannotStart } from '../../../shared/process/cannot-start.ts';
import type { Running } from '../../../shared/work/running.ts';

/** ms in which clients that keep connections open meet an answer with `Connection: close`, and leave by themselves */
const GRACE = 1_000;
/** ms for running requests after that: together with GRACE more than a request may take */
const LIMIT = 9_000;
/** ms between two lines of the log about connections that were closed */
const TELL_EVERY = 10_000;

/**
 * Listens, or says in one sentence why that cannot be.
 * @param port 0 takes any free one
 * @throws CannotStart
 */
export async function listen(server: Server, host: string, port: number): Promise<void> {
	await new Promise<void>((resolve, reject) => {
		server.once('error', reject);
		server.listen(port, host, () => {
			server.off('error', reject);
			resolve();
		});
	}).catch((error: NodeJS.ErrnoException) => {
		throw new CannotStart(sentence(error, host, port));
	});
}

function sentence(error: NodeJS.ErrnoException, host: string, port: number): string {
	if (error.code === 'EADDRINUSE') return `PORT ${port} is in use; choose another one, or 0 for any free one.`;
	if (error.code === 'EACCES')
		return `PORT ${port} needs a privilege that this process does not have; choose one above 1023.`;
	return `Cannot listen on HOST ${host}, PORT ${port}: ${error.code ?? error.message}.`;
}

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

/** Logs that connections were closed because there are as many as the server takes. */
export function tellDropped(server: Server, clock: Clock, logger: Logger): void {
	const tell = (connections: number) =>
		logger.warn({ connections, limit: server.maxConnections }, 'connections refused: too many are open');
	server.on('drop', tellTogether(TELL_EVERY, clock, tell));
}
