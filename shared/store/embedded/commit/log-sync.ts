import { closeSync, fdatasync, fdatasyncSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs';
import { promisify } from 'node:util';
import { StoreUnavailable } from '../../write-errors.ts';

const sync = promisify(fdatasync);

/** Bytes of the log that are written again at once */
const chunk = 1 << 20;

/** The disk did not confirm what was written: nobody knows whether it will be there after a loss of power. */
export class SyncFailed extends Error {
	override readonly name = 'SyncFailed';
}

/**
 * Puts the database's log on the disk, beside the event loop. SQLite could wait for the disk within each COMMIT
 * (`synchronous=FULL`), but then the whole process would wait with it.
 *
 * A disk that failed once is not asked again: the system forgets what it could not write, and would call the next sync a
 * success. From then on the store is closed to reads and writes, until the process is started anew. That process still
 * reads from the system's memory what the disk never got, and so it writes the log again before it tells of it.
 */
export class LogSync {
	readonly #file: number;
	#committed = 0;
	#durable = 0;
	/** The last commit that changed something of an account (undefined: of none), where it may not be on the disk yet */
	readonly #byAccount = new Map<string | undefined, number>();
	#running: Promise<void> | undefined;
	#failed = false;

	/**
	 * What an earlier process left in the log is on the disk when this returns.
	 * @param path of the log, which stays the same file for as long as the database is open
	 * @throws SyncFailed
	 */
	constructor(path: string) {
		this.#file = openSync(path, 'r+');
		try {
			this.#writeAgain();
		} catch (error) {
			closeSync(this.#file);
			throw error;
		}
	}

	/**
	 * To be called after each COMMIT.
	 * @param accounts of which it changed documents; undefined for those of none
	 */
	committed(accounts: Iterable<string | undefined> = []): void {
		this.#committed++;
		for (const account of accounts) this.#byAccount.set(account, this.#committed);
	}

	/**
	 * What a reader or writer waits for before it tells of what it saw.
	 * @param accounts whose documents alone it saw; undefined: of anybody's
	 * @returns resolves when every commit of theirs until now is on the disk; undefined where that is so already
	 * @throws StoreUnavailable after a failure; @rejects SyncFailed
	 */
	durable(accounts?: readonly (string | undefined)[]): Promise<void> | undefined {
		this.assertSound();
		if (this.#durable === this.#committed) return undefined;
		const seen = accounts === undefined ? this.#committed : this.#lastOf(accounts);
		return seen <= this.#durable ? undefined : this.#reach(seen);
	}

	#lastOf(accounts: readonly (string | undefined)[]): number {
		return accounts.reduce((last, account) => Math.max(last, this.#byAccount.get(account) ?? 0), 0);
	}

	/** @throws StoreUnavailable */
	assertSound(): void {
		if (this.#failed)
			throw new StoreUnavailable('the disk failed to keep the embedded store: check it, and start anew');
	}

	/**
	 * To be called before SQLite moves the log into the file for the last time: what a failed sync left in memory only
	 * must not get there before it is in the log. Where the disk still fails, SQLite's own sync does, too, and it moves
	 * nothing: the system tells each open file once.
	 */
	settle(): void {
		if (!this.#failed) return;
		try {
			this.#writeAgain();
		} catch {
			// The next start tries again.
		}
	}

	close(): void {
		closeSync(this.#file);
	}

	/**
	 * Puts the log on the disk, whatever became of earlier writes. A sync alone would not do: after a failure the system
	 * takes its pages for written. Empty after a clean end, at most 64 MiB after any other, most often below 16.
	 */
	#writeAgain(): void {
		const bytes = Buffer.allocUnsafe(chunk);
		try {
			for (let at = 0; ; ) {
				const length = readSync(this.#file, bytes, 0, chunk, at);
				if (length === 0) break;
				for (let written = 0; written < length; ) {
					written += writeSync(this.#file, bytes, written, length - written, at + written);
				}
				at += length;
			}
			fdatasyncSync(this.#file);
		} catch (error) {
			throw new SyncFailed(`the disk did not take the log: ${(error as Error).message}`, { cause: error });
		}
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
			for (const [account, last] of this.#byAccount) if (last <= commit) this.#byAccount.delete(account);
		} catch (error) {
			this.#failed = true;
			throw new SyncFailed(`the disk did not take a commit: ${(error as Error).message}`, { cause: error });
		}
	}
}

/** Puts the names of a directory's files on the disk. Windows opens no directories, and does so by itself. */
export function syncDirectory(directory: string): void {
	if (process.platform === 'win32') return;
	const descriptor = openSync(directory, 'r');
	try {
		fsyncSync(descriptor);
	} finally {
		closeSync(descriptor);
	}
}
