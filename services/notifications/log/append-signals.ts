import { type AccountKey, accountKey } from '../../../shared/contract/actions/common.ts';

/** Wakes those who wait for an account's next event. A signal says "look again", not what is there. */
export class AppendSignals {
	readonly #watches = new Map<AccountKey, Set<Watch>>();

	/** Signals from now on are kept until the next `wait`, so nothing that comes between a look and a wait is missed. */
	watch(account_id: string): Watch {
		const key = accountKey({ account_id });
		const watches = this.#watches.get(key) ?? new Set();
		this.#watches.set(key, watches);
		const watch = new Watch(() => {
			watches.delete(watch);
			if (watches.size === 0 && this.#watches.get(key) === watches) this.#watches.delete(key);
		});
		watches.add(watch);
		return watch;
	}

	/** The account's log has grown. */
	wake(account_id: string): void {
		for (const watch of this.#watches.get(accountKey({ account_id })) ?? []) watch.wake();
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

	/**
	 * Until the next signal, or one since the last wait; at most `ms`.
	 * @returns whether there was one
	 */
	async wait(ms: number): Promise<boolean> {
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
		const woken = this.#woken;
		this.#woken = false;
		return woken;
	}
}

type Broadcast = (account_ids: string[]) => Promise<unknown>;

/** ms in which announcements are gathered */
const GATHER = 10;

/**
 * Tells the other processes which accounts' logs have grown, so that readers who wait there look at once. One message says it
 * for all that came together; one that is lost costs a waiting reader a second.
 */
export class AppendAnnouncer {
	#broadcast: Broadcast | undefined;
	#timer: NodeJS.Timeout | undefined;
	readonly #accounts = new Set<string>();

	/** Until it is started, nothing is announced. */
	start(broadcast: Broadcast): void {
		this.#broadcast = broadcast;
	}

	stop(): void {
		clearTimeout(this.#timer);
		this.#broadcast = undefined;
	}

	announce(account_id: string): void {
		if (this.#broadcast === undefined) return;
		this.#accounts.add(account_id);
		this.#timer ??= setTimeout(() => this.#flush(), GATHER);
	}

	#flush(): void {
		this.#timer = undefined;
		const account_ids = [...this.#accounts];
		this.#accounts.clear();
		this.#broadcast?.(account_ids).catch(() => {}); // a hint: nothing depends on it
	}
}
