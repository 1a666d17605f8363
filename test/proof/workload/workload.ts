import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '../../support/http-client.ts';
import type { Recorder } from '../recorder.ts';
import { AccountWorld } from './account-world.ts';
import { planOf } from './plan.ts';
import { RecordedApi } from './recorded-api.ts';
import { PATIENCE, readFinalState } from './settle.ts';
import { take } from './take-step.ts';

export interface WorkloadOptions {
	/** One a key; each account has the same clients, who also try what is the next account's */
	accounts: { name: string; http: Client }[];
	recorder: Recorder;
	seed: number;
	/** Of each account; the first one also changes maxima and replaces services. Default 8 */
	clients?: number;
	/** Mean ms between two steps of a client; default 100 */
	pace?: number;
}

/** Clients that book, change and read on a few hot slots, at a bounded rate, and write down what they see. */
export class Workload {
	readonly #options: Required<WorkloadOptions>;
	readonly #worlds: AccountWorld[];
	readonly #stop = new AbortController();
	#running: Promise<unknown> = Promise.resolve();

	constructor(options: WorkloadOptions) {
		this.#options = { clients: 8, pace: 100, ...options };
		const { recorder, accounts } = this.#options;
		this.#worlds = accounts.map(({ name, http }) => new AccountWorld(new RecordedApi(name, http, recorder)));
	}

	/** Makes the services; the product must be well. */
	async prepare(): Promise<void> {
		for (const world of this.#worlds) await world.prepare([2, 1, 4]);
	}

	start(): void {
		const { clients } = this.#options;
		const all = this.#worlds.flatMap((world, account) =>
			Array.from({ length: clients }, (_, client) => this.#client(world, client, account)),
		);
		this.#running = Promise.all(all);
	}

	/** Resolves when every client has got its last answer. */
	async stop(): Promise<void> {
		this.#stop.abort();
		await this.#running;
	}

	/**
	 * After the clients and the faults have ended: waits until nothing moves, and writes the final states down.
	 * @param patience ms after which they are written down as they are
	 */
	async settle(patience = PATIENCE): Promise<void> {
		for (const { api } of this.#worlds) await readFinalState(api, this.#options.recorder, patience);
	}

	async #client(world: AccountWorld, client: number, account: number): Promise<void> {
		const { seed, pace } = this.#options;
		const { signal } = this.#stop;
		const neighbour = this.#worlds.length > 1 ? this.#worlds[(account + 1) % this.#worlds.length] : undefined;
		for (const step of planOf(client, { seed: seed + account, pace })) {
			await delay(step.pause, undefined, { signal }).catch(() => undefined);
			if (signal.aborted) return;
			await take(step, client, world, neighbour);
		}
	}
}
