import type { Server } from 'node:http';
import type { Clock } from '../../shared/clock.ts';
import type { Logger } from '../../shared/log.ts';

/** ms between two lines: a flood of connections must not become one of lines */
const EVERY = 10_000;

/** Logs that connections were closed because there are as many as the server takes: the first at once, later ones together. */
export function tellDropped(server: Server, clock: Clock, logger: Logger): void {
	let dropped = 0;
	let told = Number.NEGATIVE_INFINITY;
	server.on('drop', () => {
		dropped++;
		const now = clock.monotonic();
		if (now - told < EVERY) return;
		logger.warn({ connections: dropped, limit: server.maxConnections }, 'connections refused: too many are open');
		told = now;
		dropped = 0;
	});
}
