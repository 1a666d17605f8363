/** Carries out what it is given in later turns of the event loop: a few in each, in the order in which they came. */
export class Later {
	readonly #aTurn: number;
	readonly #waiting: (() => void)[] = [];
	#isScheduled = false;

	/** @param aTurn how many in a turn */
	constructor(aTurn: number) {
		this.#aTurn = aTurn;
	}

	add(run: () => void): void {
		this.#waiting.push(run);
		this.#schedule();
	}

	#schedule(): void {
		if (this.#isScheduled || this.#waiting.length === 0) return;
		this.#isScheduled = true;
		setImmediate(() => {
			for (const run of this.#waiting.splice(0, this.#aTurn)) run();
			this.#isScheduled = false;
			this.#schedule();
		});
	}
}
