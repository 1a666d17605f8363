import { closeSync, fdatasync, openSync } from 'node:fs';
import { promisify } from 'node:util';
import { StoreUnavailable } from '../store-unavailable.ts';

const sync = promisify(fdatasync);

/** The disk did not confirm a commit: nobody knows whether it will be there after a loss of power. */
export class SyncFailed extends Error {
	override readonly name = 'SyncFailed';
}

/**
 * Puts the database's log on the disk, beside the event loop. SQLite could wait for the disk within each COMMIT
 * (`synchronous=FULL`), but then the whole process would wait with it.
 *
 * A disk that failed once is not asked again: the system forgets what it could not write, and would call the next sync a
 * success. From then on the store is closed to reads and writes, until the process is started anew.
 */
export class LogSync {
	readonly #file: number;
	#committed = 0;
	#durable = 0;
	#running: Promise<void> | undefined;
	#failed = false;

	/** @param path of the log, which stays the same file for as long as the database is open */
	constructor(path: string) {
		this.#file = openSync(path, 'r+');
	}

	/** To be called after each COMMIT. */
	committed(): void {
		this.#committed++;
	}

	/**
	 * What a reader or writer waits for before it tells of what it saw.
	 * @returns resolves when every commit until now is on the disk; undefined where that is so already
	 * @throws StoreUnavailable after a failure; @rejects SyncFailed
	 */
	durable(): Promise<void> | undefined {
		this.assertSound();
		return this.#durable === this.#committed ? undefined : this.#reach(this.#committed);
	}

	/** @throws StoreUnavailable */
	assertSound(): void {
		if (this.#failed)
			throw new StoreUnavailable('the disk failed to keep the embedded store: check it, and start anew');
	}

	close(): void {
		closeSync(this.#file);
	}

	async #reach(commit: number): Promise<void> {
		while (this.#durable < commit) {
			this.#running ??= this.#sync().finally(() => {
				this.#running = undefined;
			});
			await this.#running;
		}
	}

	async #sync(): Promise<void> {
		const commit = this.#committed;
		try {
			await sync(this.#file);
			this.#durable = commit;
		} catch (error) {
			this.#failed = true;
			throw new SyncFailed(`the disk did not take a commit: ${(error as Error).message}`, { cause: error });
		}
	}
}
