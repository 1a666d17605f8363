import { accessSync, constants } from 'node:fs';
import { connect } from 'node:net';
import { delimiter, join } from 'node:path';
import { Child } from './child.ts';
import { freePort } from './free-port.ts';
import { until } from './until.ts';

/** A real server that the tests started on a free port. */
export interface Server {
	url: string;
	port: number;
	child: Child;
	/** Starts a dead one again, on the same port. */
	restart(): Promise<void>;
	stop(): Promise<void>;
}

/** Why the cluster form cannot be started here; undefined where it can. */
export function whyNoCluster(): string | undefined {
	const missing = ['nats-server', 'redis-server'].filter((name) => !isInstalled(name));
	if (missing.length > 0) return `${missing.join(' and ')} not installed`;
	return process.env.TEST_MONGO_URL ? undefined : 'TEST_MONGO_URL is not set';
}

export function isInstalled(name: string): boolean {
	return (process.env.PATH ?? '').split(delimiter).some((directory) => {
		try {
			accessSync(join(directory, name), constants.X_OK);
			return true;
		} catch {
			return false;
		}
	});
}

/** @param directory for its files */
export async function startNats(directory: string): Promise<Server> {
	const port = await freePort();
	const args = ['-a', '127.0.0.1', '-p', String(port), '-P', join(directory, `nats-${port}.pid`)];
	return startServer('nats-server', args, port, `nats://127.0.0.1:${port}`);
}

/** It persists nothing. @param directory for its files @param env more variables that it sees */
export async function startRedis(directory: string, env: Record<string, string> = {}): Promise<Server> {
	const port = await freePort();
	const args = ['--bind', '127.0.0.1', '--port', String(port), '--dir', directory, '--daemonize', 'no'];
	args.push('--save', '', '--appendonly', 'no');
	return startServer('redis-server', args, port, `redis://127.0.0.1:${port}`, env);
}

/** Starts a server and waits until it listens. */
export async function startServer(
	command: string,
	args: string[],
	port: number,
	url: string,
	more: Record<string, string> = {},
): Promise<Server> {
	const env = { PATH: process.env.PATH ?? '', ...more };
	const server: Server = {
		url,
		port,
		child: new Child(command, command, args, { env }),
		async restart() {
			await server.child.exited;
			server.child = new Child(command, command, args, { env });
			await accepts(server.child, port);
		},
		async stop() {
			await server.child.stop(5_000);
		},
	};
	await accepts(server.child, port);
	return server;
}

async function accepts(child: Child, port: number): Promise<void> {
	await until(() => child.ended || canConnect(port), { what: `${child.name} to listen on ${port}` });
	if (child.ended) throw new Error(`${child.name} ended\n${child.tail()}`);
}

function canConnect(port: number): Promise<boolean> {
	return new Promise((resolve) => {
		const socket = connect(port, '127.0.0.1');
		socket.once('connect', () => resolve(true));
		socket.once('error', () => resolve(false));
		socket.once('close', () => resolve(false));
		socket.once('connect', () => socket.destroy());
	});
}
