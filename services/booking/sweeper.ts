import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '../../shared/log.ts';
import { logFailure } from '../../shared/log-failure.ts';
import type { BookingStore } from './booking-store.ts';
import type { Relay } from './relay.ts';
import { sweepOutboxes, sweepTombstones } from './sweep-outboxes.ts';

const OUTBOX_EVERY = 500; // ms: an event is in the feed within 2 s of a restart
const TOMBSTONES_EVERY = 10 * 60 * 1000; // ms

/** Runs the sweeps of a process, one at a time, until it stops. Several processes that sweep do no harm. */
export class Sweeper {
	readonly #store: BookingStore;
	readonly #relay: Relay;
	readonly #logger: Logger;
	readonly #stop = new AbortController();
	#running: Promise<void> = Promise.resolve();
	#extra: Promise<void> = Promise.resolve();

	constructor(store: BookingStore, relay: Relay, logger: Logger) {
		this.#store = store;
		this.#relay = relay;
		this.#logger = logger;
	}

	start(): void {
		this.#running = this.#run();
	}

	/** Delivers, at once, the events of a service's bookings that were just removed. */
	sweepService(service_id: number): void {
		const sweep = () => sweepOutboxes(this.#store, this.#relay, 0, { service_id });
		this.#extra = this.#extra.then(sweep).then(
			() => undefined,
			(error: unknown) => this.#logFailure(error),
		);
	}

	/** Resolves when the sweeps that are under way have ended. */
	async stop(): Promise<void> {
		this.#stop.abort();
		await Promise.all([this.#running, this.#extra]);
	}

	#logFailure(error: unknown): void {
		logFailure(this.#logger, error, 'sweep of the outboxes failed, it will be repeated');
	}

	async #run(): Promise<void> {
		const { signal } = this.#stop;
		let tombstonesAt = performance.now();
		let age: number | undefined = 0; // at the start: whatever is there was left by another process
		while (!signal.aborted) {
			try {
				await sweepOutboxes(this.#store, this.#relay, age);
				age = undefined;
				if (performance.now() >= tombstonesAt) {
					await sweepTombstones(this.#store);
					tombstonesAt = performance.now() + TOMBSTONES_EVERY;
				}
			} catch (error) {
				this.#logFailure(error);
			}
			await delay(OUTBOX_EVERY, undefined, { signal, ref: false }).catch(() => undefined);
		}
	}
}
