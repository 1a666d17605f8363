/** Attempts of one webhook at the same time, at most */
const WIDEST = 8;
/** ms; an answer that takes longer opens no further */
export const QUICK = 1_000;

/**
 * How many attempts of a webhook may run at once. It opens with quick successes, as TCP does, and shuts with a failure, so
 * that an endpoint that hangs holds one connection, and not those of others.
 */
export class Window {
	#size = 1;

	get size(): number {
		return this.#size;
	}

	/** @param duration ms */
	note(delivered: boolean, duration: number): void {
		if (!delivered) this.#size = 1;
		else if (duration < QUICK) this.#size = Math.min(WIDEST, this.#size * 2);
		else this.#size = Math.max(1, Math.floor(this.#size / 2));
	}
}
