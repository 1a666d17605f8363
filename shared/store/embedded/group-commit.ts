import { StoreUnavailable } from '../store-unavailable.ts';
import type { Database } from './database.ts';
import { asStoreError } from './sqlite-errors.ts';

/** A write in steps: it yields how many documents the last step touched, so that long writes let others in between. */
export type Write<T> = Generator<number, T, void>;

/** Documents that one transaction touches before the event loop gets its turn. */
const documentsPerTurn = 500;

interface Job {
	write: Write<unknown>;
	begun: boolean;
	settle(outcome: Outcome): void;
}

type Outcome = { value: unknown } | { error: unknown };

/**
 * Writes that arrive together share one transaction, and so one wait for the disk. They run one after the other, in the
 * order of arrival; each hears its outcome, refusals included, only after the commit. Where the transaction fails, all of
 * its writes fail with `StoreUnavailable`.
 */
export class GroupCommit {
	readonly #database: Database;
	#queue: Job[] = [];
	#scheduled = false;
	#closing: (() => void) | undefined;

	constructor(database: Database) {
		this.#database = database;
	}

	run<T>(write: Write<T>): Promise<T> {
		if (this.#closing) return Promise.reject(new StoreUnavailable('the embedded store is closed'));
		return new Promise<T>((resolve, reject) => {
			const settle = (outcome: Outcome): void => {
				if ('error' in outcome) reject(outcome.error);
				else resolve(outcome.value as T);
			};
			this.#queue.push({ write, begun: false, settle });
			this.#schedule();
		});
	}

	/** Refuses new writes and waits for those that run. */
	close(): Promise<void> {
		return new Promise((resolve) => {
			this.#closing = resolve;
			if (!this.#scheduled) resolve();
		});
	}

	#schedule(): void {
		if (this.#scheduled) return;
		this.#scheduled = true;
		setImmediate(() => {
			this.#scheduled = false;
			this.#commitGroup();
			if (this.#queue.length > 0) this.#schedule();
			else this.#closing?.();
		});
	}

	#commitGroup(): void {
		const outcomes: [Job, Outcome][] = [];
		try {
			this.#queue[0]!.begun = true;
			this.#database.exec('BEGIN IMMEDIATE');
			this.#runJobs(outcomes);
			this.#database.exec('COMMIT');
		} catch (error) {
			this.#rollBack();
			const unfinished = this.#queue.filter((job) => job.begun);
			this.#queue = this.#queue.filter((job) => !job.begun);
			for (const job of [...outcomes.map(([each]) => each), ...unfinished]) {
				job.write.return(undefined);
				job.settle({ error: asStoreError(error) });
			}
			return;
		}
		for (const [job, outcome] of outcomes) job.settle(outcome);
	}

	/** Runs jobs until the turn is used up. One that is not finished stays first in the queue. */
	#runJobs(outcomes: [Job, Outcome][]): void {
		let left = documentsPerTurn;
		for (let job = this.#queue[0]; job && left > 0; job = this.#queue[0]) {
			const [touched, outcome] = this.#step(job);
			left -= touched;
			if (!outcome) continue;
			this.#queue.shift();
			outcomes.push([job, outcome]);
		}
	}

	/** An error of the write's own is its outcome; one of disk or machine ends the transaction. */
	#step(job: Job): [number, Outcome?] {
		job.begun = true;
		try {
			const { done, value } = job.write.next();
			return done ? [1, { value }] : [value as number];
		} catch (error) {
			if (asStoreError(error) !== error || !this.#database.inTransaction) throw error;
			return [1, { error }];
		}
	}

	#rollBack(): void {
		if (!this.#database.inTransaction) return;
		try {
			this.#database.exec('ROLLBACK');
		} catch {
			// SQLite rolled back by itself.
		}
	}
}
