/** Builds every key and channel that the lock uses in Redis. */
export class LockKeys {
	readonly #prefix: string;

	/** @param namespace prefix of everything that this installation keeps in Redis; no braces in it */
	constructor(namespace: string) {
		this.#prefix = `${namespace}:lock`;
	}

	/**
	 * Holder and queue of a place, in the order in which the scripts take them. The braces are a hash tag: both keys fall
	 * into one slot of a Redis Cluster, as a script requires.
	 */
	of(place: string): [holder: string, queue: string] {
		return [`${this.#prefix}:{${place}}:holder`, `${this.#prefix}:{${place}}:queue`];
	}

	/** Where a process hears that it is next. The scripts append the process to {@link channels}. */
	channel(process: string): string {
		return this.channels + process;
	}

	get channels(): string {
		return `${this.#prefix}:process:`;
	}
}
