import { type Logger, logFailure } from '../../../shared/log/log.ts';
import { Periodic } from '../../../shared/work/periodic.ts';
import type { BookingStore } from '../document/booking-store.ts';
import type { Holds } from './holds.ts';

const EVERY = 500; // ms: what expires is cancelled within a second
/** Bookings that are read, and cancelled, together */
const PAGE = 100;

/**
 * Cancels the bookings whose hold has ended and that nobody needed. It finds them by an index of those that are held, which is
 * empty where nobody holds anything. Several processes that sweep do no harm.
 */
export class HoldSweeper {
	readonly #store: BookingStore;
	readonly #holds: Holds;
	readonly #work: Periodic;

	constructor(store: BookingStore, holds: Holds, logger: Logger) {
		this.#store = store;
		this.#holds = holds;
		const failed = (error: unknown) => logFailure(logger, error, 'sweep of the holds failed, it will be repeated');
		this.#work = new Periodic({ every: EVERY, run: (signal) => this.#sweep(signal), failed });
	}

	start(): void {
		this.#work.start();
	}

	/** Resolves when the sweep that is under way has ended. */
	async stop(): Promise<void> {
		await this.#work.stop();
	}

	async #sweep(signal: AbortSignal): Promise<void> {
		while (!signal.aborted) {
			const now = this.#store.clock.now();
			const expired = await this.#store.all.expired(now, PAGE);
			const attempts = await Promise.allSettled(expired.map((booking) => this.#holds.expire(booking, now)));
			const failed = attempts.find((attempt) => attempt.status === 'rejected');
			if (failed !== undefined) throw failed.reason; // the others are cancelled; this one, the next time
			if (expired.length < PAGE) return;
		}
	}
}
