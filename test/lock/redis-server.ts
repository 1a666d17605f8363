import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { describe } from '@jest/globals';
import { Redis } from 'ioredis';
import { until } from './until.ts';

const installed = spawnSync('redis-server', ['--version']).status === 0;

/** `describe`, or a visible skip where there is no redis-server. */
export const describeWithRedis: (name: string, body: () => void) => void = installed
	? describe
	: (name, body) => describe.skip(`${name} (skipped: redis-server is not installed)`, body);

/** A real Redis of the test's own, on a free port, that can be stopped and killed. */
export class RedisServer {
	readonly port: number;
	/** a connection for looking behind the scenes */
	readonly admin: Redis;
	#child: ChildProcess | undefined;

	private constructor(port: number) {
		this.port = port;
		this.admin = new Redis(this.url, { lazyConnect: true, retryStrategy: () => 20, maxRetriesPerRequest: null });
		this.admin.on('error', () => {});
	}

	static async start(): Promise<RedisServer> {
		const server = new RedisServer(await freePort());
		await server.launch();
		await server.admin.connect();
		return server;
	}

	get url(): string {
		return `redis://127.0.0.1:${this.port}`;
	}

	/** Starts it, also again after a kill; resolves when it takes connections. */
	async launch(): Promise<void> {
		const options = ['--port', String(this.port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
		const child = spawn('redis-server', options, { stdio: ['ignore', 'pipe', 'ignore'] });
		this.#child = child;
		let log = '';
		child.stdout.on('data', (text) => {
			log += text;
		});
		await until(() => log.includes('Ready to accept connections') || child.exitCode !== null);
		if (child.exitCode !== null) throw new Error(`redis-server ended: ${log}`);
	}

	async kill(): Promise<void> {
		const exit = once(this.#child!, 'exit');
		this.#child!.kill('SIGKILL');
		await exit;
	}

	/** SIGSTOP: it is there, takes connections, and answers nothing. */
	async suspend(): Promise<void> {
		this.#child!.kill('SIGSTOP');
		const stat = `/proc/${this.#child!.pid}/stat`;
		if (existsSync(stat)) await until(() => readFileSync(stat, 'utf8').includes(') T '));
	}

	resume(): void {
		this.#child!.kill('SIGCONT');
	}

	/** How many scripts were run since {@link forgetCalls}. */
	async calls(): Promise<number> {
		const stats = await this.admin.info('commandstats');
		return [...stats.matchAll(/^cmdstat_eval(?:sha)?:calls=(\d+)/gm)].reduce(
			(sum, [, calls]) => sum + Number(calls),
			0,
		);
	}

	async forgetCalls(): Promise<void> {
		await this.admin.config('RESETSTAT');
	}

	async stop(): Promise<void> {
		this.admin.disconnect();
		if (this.#child?.exitCode === null && this.#child.signalCode === null) await this.kill();
	}
}

async function freePort(): Promise<number> {
	const probe = createServer().listen(0, '127.0.0.1');
	await once(probe, 'listening');
	const address = probe.address();
	probe.close();
	await once(probe, 'close');
	if (address === null || typeof address === 'string') throw new Error('no port');
	return address.port;
}
