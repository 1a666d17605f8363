import type { Server } from 'node:http';
import type { Clock } from '../../../shared/engine/clock.ts';
import { tellTogether } from '../../../shared/engine/tell-together.ts';
import type { Logger } from '../../../shared/log/log.ts';

const EVERY = 10_000; // ms

/** Logs that connections were closed because there are as many as the server takes. */
export function tellDropped(server: Server, clock: Clock, logger: Logger): void {
	const tell = (connections: number) =>
		logger.warn({ connections, limit: server.maxConnections }, 'connections refused: too many are open');
	server.on('drop', tellTogether(EVERY, clock, tell));
}
