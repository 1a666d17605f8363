/** ms between two ticks */
const EVERY = 250;
/** ms without a tick from which on the process has stood still: stopped, starved, or blocked by its own work */
const NOTICED = 1_000;
/** ms after a standstill in which what lay in the sockets is read; another process' heartbeat comes in less */
const SETTLING = 1_500;

/**
 * When this process stood still. What it reads right afterwards may have waited for it all the while, and carries no sign
 * of that: a request of a client says nothing of when it was sent. Until the sockets are empty all of it counts as old.
 *
 * The monotonic clock stands still too while a whole machine is suspended, so that is not noticed here.
 */
export class Standstill {
	readonly #now: () => number;
	#timer: NodeJS.Timeout | undefined;
	#lastTick: number | undefined;
	#began = Number.NEGATIVE_INFINITY;
	#ended = Number.NEGATIVE_INFINITY;

	/** @param now monotonic ms */
	constructor(now: () => number = () => performance.now()) {
		this.#now = now;
	}

	/** Watches from now on, for as long as the process lives. */
	watch(): void {
		this.tick();
		this.#timer ??= setInterval(() => this.tick(), EVERY).unref();
	}

	tick(): void {
		const now = this.#now();
		if (this.#lastTick !== undefined && now - this.#lastTick >= NOTICED) {
			if (now - this.#ended > SETTLING) this.#began = this.#lastTick; // else it is one with the last
			this.#ended = now;
		}
		this.#lastTick = now;
	}

	/** When the last standstill began, monotonic ms. */
	get began(): number {
		return this.#began;
	}

	/** ms that what is read now may have waited for this process; 0 where it did not stand still. */
	age(): number {
		if (this.#lastTick === undefined) return 0;
		this.tick(); // the sockets are read before the timers run
		return this.#lastTick - this.#ended < SETTLING ? this.#ended - this.#began : 0;
	}
}

/** Of this process */
export const standstill = new Standstill();
