import { setTimeout as delay } from 'node:timers/promises';
import { withoutDeadline } from './deadline.ts';

export interface PeriodicWork {
	/** ms from the end of one run to the next, give or take a quarter, so that processes do not sweep in step */
	every: number;
	/** Several processes that do it at once must do no harm. */
	run: (signal: AbortSignal) => Promise<unknown>;
	/** Told what a run failed with; the next run comes all the same. */
	failed: (error: unknown) => void;
}

/** Work of a process that comes back, such as a sweep: one run at a time, until it is stopped. */
export class Periodic {
	readonly #work: PeriodicWork;
	readonly #stop = new AbortController();
	#running: Promise<void> = Promise.resolve();

	constructor(work: PeriodicWork) {
		this.#work = work;
	}

	/** @param first ms to the first run */
	start(first = 0): void {
		this.#running = withoutDeadline(() => this.#loop(first));
	}

	/** Resolves when the run that is under way has ended. */
	async stop(): Promise<void> {
		this.#stop.abort();
		await this.#running;
	}

	async #loop(first: number): Promise<void> {
		const { signal } = this.#stop;
		const { every, run, failed } = this.#work;
		const pause = (ms: number) => delay(ms, undefined, { signal, ref: false }).catch(() => undefined);
		if (first > 0) await pause(first);
		while (!signal.aborted) {
			try {
				await run(signal);
			} catch (error) {
				failed(error);
			}
			await pause(every * (0.75 + Math.random() / 2));
		}
	}
}
