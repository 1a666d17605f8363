/** Wakes those who wait for an account's next event. A signal says "look again", not what is there. */
export class AppendSignals {
	readonly #watches = new Map<string, Set<Watch>>();

	/** Signals from now on are kept until the next `wait`, so nothing that comes between a look and a wait is missed. */
	watch(account_id: string): Watch {
		const watches = this.#watches.get(account_id) ?? new Set();
		this.#watches.set(account_id, watches);
		const watch = new Watch(() => {
			watches.delete(watch);
			if (watches.size === 0 && this.#watches.get(account_id) === watches) this.#watches.delete(account_id);
		});
		watches.add(watch);
		return watch;
	}

	/** The account's log has grown. */
	wake(account_id: string): void {
		for (const watch of this.#watches.get(account_id) ?? []) watch.wake();
	}
}

export class Watch {
	#woken = false;
	#settle: (() => void) | undefined;
	readonly close: () => void;

	constructor(close: () => void) {
		this.close = close;
	}

	wake(): void {
		this.#woken = true;
		this.#settle?.();
	}

	/** Until the next signal, or one since the last wait; at most `ms`. */
	async wait(ms: number): Promise<void> {
		if (!this.#woken) {
			await new Promise<void>((resolve) => {
				const timer = setTimeout(resolve, ms);
				this.#settle = () => {
					clearTimeout(timer);
					resolve();
				};
			});
			this.#settle = undefined;
		}
		this.#woken = false;
	}
}
