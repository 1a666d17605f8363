import { createServer } from 'node:net';

const FIRST = 10_000;
const COUNT = 10_000;

/**
 * A port of 127.0.0.1 on which nobody listens. It is below those that the kernel gives to outgoing connections, which would
 * take it between this look and its use, or while a process that was killed is started again on it.
 */
export async function freePort(): Promise<number> {
	for (;;) {
		const port = FIRST + Math.floor(Math.random() * COUNT);
		if (await isFree(port)) return port;
	}
}

export function isFree(port: number): Promise<boolean> {
	const server = createServer();
	return new Promise((resolve) => {
		server.once('error', () => resolve(false));
		server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
	});
}
