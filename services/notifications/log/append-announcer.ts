type Broadcast = (account_ids: string[]) => Promise<unknown>;

/** ms in which announcements are gathered */
const GATHER = 10;

/**
 * Tells the other processes which accounts' logs have grown, so that who waits there looks at once. One message says it
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
		this.#broadcast?.(account_ids).catch(() => {}); // nobody depends on it
	}
}
