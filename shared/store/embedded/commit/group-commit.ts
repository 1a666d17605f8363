import { setImmediate as turn } from 'node:timers/promises';
import { Deadline, DeadlinePassed } from '../../../work/deadline.ts';
import { Reading, type Writing } from '../../../work/reading.ts';
import { isUntold } from '../../../work/untold.ts';
import { StoreUnavailable, WrittenInPart } from '../../write-errors.ts';
import type { Database } from '../database.ts';

/** A write in steps: it yields how many documents the last step touched, so that long writes let others in between. */
export type Write<T> = Generator<number, T, void>;

/** What one transaction touches, and takes before its commit, until the event loop gets its turn. */
const documentsPerTurn = 500;
const millisecondsPerTurn = 5;
/** The same of a write that is divided: many of them follow each other, and whoever asks meanwhile would meet one nearly always. */
const millisecondsOfLong = 2;

/** For how long a group may wait for others while they come: a wait for the disk costs as much whatever it carries. */
const millisecondsToGather = 3;

/** A write of no more documents than this is never divided. */
export const documentsTogether = 100;

interface Job {
	write: Write<unknown>;
	/** After which it is not begun */
	deadline: Deadline | undefined;
	/** Of the request that wrote it */
	writing: Writing | undefined;
	/** Whether a part of it is committed */
	isInPart: boolean;
	/** Whether it hears its outcome as soon as it is committed */
	isUntold: boolean;
	settle(outcome: Outcome): void;
}

type Outcome = { value: unknown } | { error: unknown };
type Settling = [job: Job, outcome: Outcome];

/**
 * Writes that arrive together share one transaction, and so one wait for the disk. Each hears its outcome, refusals
 * included, only when the commit is on the disk: a refusal may rest on another write of the group. One of `untold` work
 * hears it after the commit, for whoever tells of it waits then. Where the transaction fails, all of its writes fail with
 * `StoreUnavailable`; where the disk does not confirm it, those that wait for it with `SyncFailed`. A write that
 * is longer than a turn is committed in parts, with others between; where a later part fails, it fails with `WrittenInPart`.
 */
export class GroupCommit {
	readonly #database: Database;
	readonly #rolledBack: () => void;
	readonly #turn: number;
	#queue: Job[] = [];
	#serving = false;
	#closing: (() => void) | undefined;

	/**
	 * @param rolledBack called after a transaction came to nothing
	 * @param turn ms that one transaction may take before the event loop gets its turn
	 */
	constructor(database: Database, rolledBack: () => void = () => {}, turn = millisecondsPerTurn) {
		this.#database = database;
		this.#rolledBack = rolledBack;
		this.#turn = turn;
	}

	run<T>(write: Write<T>): Promise<T> {
		if (this.#closing) return Promise.reject(new StoreUnavailable('the embedded store is closed'));
		return new Promise<T>((resolve, reject) => {
			const settle = (outcome: Outcome): void => {
				if ('error' in outcome) reject(outcome.error);
				else resolve(outcome.value as T);
			};
			const [deadline, writing] = [Deadline.current(), Reading.writing()];
			this.#queue.push({ write, deadline, writing, isInPart: false, isUntold: isUntold(), settle });
			if (this.#serving) return;
			this.#serving = true;
			void this.#serve();
		});
	}

	/** Refuses new writes and waits for those that run. */
	close(): Promise<void> {
		return new Promise((resolve) => {
			this.#closing = resolve;
			if (!this.#serving) resolve();
		});
	}

	/** One group after the other. */
	async #serve(): Promise<void> {
		while (this.#queue.length > 0) {
			await this.#gather();
			await this.#commitGroup();
		}
		this.#serving = false;
		this.#closing?.();
	}

	/** Waits until a round of the event loop has brought no further write, or for 3 ms. */
	async #gather(): Promise<void> {
		const end = performance.now() + millisecondsToGather;
		await turn();
		for (let known = 0; known < this.#queue.length && performance.now() < end; ) {
			known = this.#queue.length;
			await turn();
		}
	}

	async #commitGroup(): Promise<void> {
		/** The jobs of this transaction; without an outcome where one goes on in the next */
		const group = new Map<Job, Outcome | undefined>();
		try {
			this.#database.begin();
			this.#runJobs(group);
			this.#database.commit();
		} catch (error) {
			this.#rollBack();
			this.#rolledBack();
			this.#fail(group.size > 0 ? group.keys() : this.#queue.splice(0, 1), error);
			return;
		}
		const told: Settling[] = [];
		for (const [job, outcome] of group) {
			if (!outcome) this.#queue.push(Object.assign(job, { isInPart: true }));
			else if (job.isUntold) job.settle(outcome);
			else told.push([job, outcome]);
		}
		if (told.length > 0) void this.#settleWhenDurable(told);
	}

	/** Meanwhile the next group is on its way: it shares the wait of the one after this. */
	async #settleWhenDurable(told: Settling[]): Promise<void> {
		try {
			await this.#database.durable();
		} catch (error) {
			this.#rolledBack();
			this.#fail(
				told.map(([job]) => job),
				error,
			);
			return;
		}
		for (const [job, outcome] of told) job.settle(outcome);
	}

	#runJobs(group: Map<Job, Outcome | undefined>): void {
		const end = performance.now() + this.#turn;
		let left = documentsPerTurn;
		while (this.#queue.length > 0 && left > 0 && (group.size === 0 || performance.now() < end)) {
			const job = this.#queue.shift()!;
			if (!begin(job)) continue;
			group.set(job, undefined);
			let outcome: Outcome | undefined;
			let touched = 0;
			const endOfLong = Math.min(end, performance.now() + millisecondsOfLong);
			while (!outcome && (left > 0 || touched < documentsTogether)) {
				const step = this.#step(job);
				if (typeof step !== 'number') outcome = step;
				const documents = typeof step === 'number' ? step : 1;
				touched += documents;
				left -= documents;
				if (touched >= documentsTogether && performance.now() >= endOfLong) left = 0;
			}
			job.writing?.wrote(touched);
			group.set(job, outcome);
		}
	}

	/** @returns the documents touched, or the outcome. An error of disk or machine is thrown: it ends the transaction. */
	#step(job: Job): number | Outcome {
		try {
			const { done, value } = job.write.next();
			return done ? { value } : (value as number);
		} catch (error) {
			if (error instanceof StoreUnavailable || !this.#database.inTransaction) throw error;
			return { error };
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

	/** @param jobs of a group, or the first one where not even BEGIN was possible: the next turn tries the others */
	#fail(jobs: Iterable<Job>, error: unknown): void {
		for (const job of jobs) {
			job.write.return(undefined);
			const cause = { cause: error };
			job.settle({ error: job.isInPart ? new WrittenInPart('the rest of a long write failed', cause) : error });
		}
	}
}

/** @returns false where nobody waits for the write any more. One that has begun goes on to its end, in several parts too. */
function begin(job: Job): boolean {
	const { deadline } = job;
	job.deadline = undefined;
	if (deadline === undefined || deadline.remaining() > 0) return true;
	job.settle({ error: new DeadlinePassed(deadline) });
	return false;
}
