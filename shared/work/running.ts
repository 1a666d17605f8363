/** Counts what is under way, such as requests that are being answered. */
export class Running {
	#count = 0;
	#waiting: (() => void)[] = [];

	get count(): number {
		return this.#count;
	}

	begin(): void {
		this.#count++;
	}

	end(): void {
		this.#count--;
		if (this.#count > 0) return;
		for (const resolve of this.#waiting) resolve();
		this.#waiting = [];
	}

	/** Resolves when none is running. */
	none(): Promise<void> {
		if (this.#count === 0) return Promise.resolve();
		return new Promise((resolve) => this.#waiting.push(resolve));
	}
}
