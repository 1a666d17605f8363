/** Lets a bounded number of pieces of work run at one time; the others wait, in order of arrival. */
export class Turns {
	#free: number;
	readonly #waiting = new Set<() => void>();

	constructor(limit: number) {
		this.#free = limit;
	}

	/**
	 * Waits for a turn.
	 * @returns gives it back; to be called once
	 * @throws the signal's reason where it aborts before
	 */
	async take(signal: AbortSignal): Promise<() => void> {
		signal.throwIfAborted();
		if (this.#free > 0) this.#free--;
		else await this.#wait(signal);
		return () => this.#pass();
	}

	#wait(signal: AbortSignal): Promise<void> {
		return new Promise((resolve, reject) => {
			const go = () => {
				signal.removeEventListener('abort', giveUp);
				resolve();
			};
			const giveUp = () => {
				this.#waiting.delete(go);
				reject(signal.reason);
			};
			signal.addEventListener('abort', giveUp, { once: true });
			this.#waiting.add(go);
		});
	}

	/** To the next who waits, or back. */
	#pass(): void {
		const [next] = this.#waiting;
		if (next === undefined) this.#free++;
		else {
			this.#waiting.delete(next);
			next();
		}
	}
}
