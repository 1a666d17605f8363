import { setTimeout as delay } from 'node:timers/promises';
import type { Caller } from '../../shared/call.ts';
import type { Logger } from '../../shared/log.ts';
import { logFailure } from '../../shared/log-failure.ts';
import type { CatalogStore } from './catalog-store.ts';
import { sweep } from './sweep.ts';

const EVERY = 2_000; // ms

/** Runs the sweep of a process, one at a time, until it stops. Several processes that sweep do no harm. */
export class Sweeper {
	readonly #store: CatalogStore;
	readonly #caller: Caller;
	readonly #logger: Logger;
	readonly #stop = new AbortController();
	#running: Promise<void> = Promise.resolve();

	constructor(store: CatalogStore, caller: Caller, logger: Logger) {
		this.#store = store;
		this.#caller = caller;
		this.#logger = logger;
	}

	start(): void {
		this.#running = this.#run();
	}

	/** Resolves when the sweep that is under way has ended. */
	async stop(): Promise<void> {
		this.#stop.abort();
		await this.#running;
	}

	async #run(): Promise<void> {
		const { signal } = this.#stop;
		while (!signal.aborted) {
			await delay(EVERY * (0.75 + Math.random() / 2), undefined, { signal, ref: false }).catch(() => undefined);
			if (signal.aborted) return;
			try {
				await sweep(this.#store, this.#caller, signal);
			} catch (error) {
				logFailure(this.#logger, error, 'sweep of the catalog failed, it will be repeated');
			}
		}
	}
}
