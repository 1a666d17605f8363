import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { describe } from '@jest/globals';
import { Redis } from 'ioredis';
import { type Server, startRedis } from '../support/servers.ts';
import { until } from '../support/until.ts';

const installed = spawnSync('redis-server', ['--version']).status === 0;

/** `describe`, or a visible skip where there is no redis-server. */
export const describeWithRedis: (name: string, body: () => void) => void = installed
	? describe
	: (name, body) => describe.skip(`${name} (redis-server is not installed)`, body);

/** A real Redis of the test's own, that can be killed and stopped. */
export class RedisServer {
	/** a connection for looking behind the scenes */
	readonly admin: Redis;
	readonly #server: Server;

	private constructor(server: Server) {
		this.#server = server;
		this.admin = new Redis(server.url, { retryStrategy: () => 20, maxRetriesPerRequest: null });
		this.admin.on('error', () => {});
	}

	/** @param env more variables that it sees */
	static async start(env: Record<string, string> = {}): Promise<RedisServer> {
		return new RedisServer(await startRedis(tmpdir(), env));
	}

	get url(): string {
		return this.#server.url;
	}

	async kill(): Promise<void> {
		this.#server.child.kill('SIGKILL');
		await this.#server.child.exited;
	}

	/** Resolves when it takes connections again. */
	restart(): Promise<void> {
		return this.#server.restart();
	}

	/** SIGSTOP: it is there, takes connections, and answers nothing. */
	async suspend(): Promise<void> {
		this.#server.child.kill('SIGSTOP');
		const stat = `/proc/${this.#server.child.pid}/stat`;
		if (existsSync(stat)) await until(() => readFileSync(stat, 'utf8').includes(') T '), { interval: 1 });
	}

	resume(): void {
		this.#server.child.kill('SIGCONT');
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
		await this.#server.stop();
	}
}
