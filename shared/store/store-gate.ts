import type { Connection } from 'mongoose';
import type { Closing } from '../contract/reports.ts';
import { Running } from '../work/running.ts';
import { eachCollection, WRITES } from './each-operation.ts';
import { StoreUnavailable } from './write-errors.ts';

/** What the store says of itself, beside its format */
const COLLECTION = 'store_format';

/** What the store says. */
export async function closingOf(connection: Connection): Promise<Closing> {
	const found = await connection.collection<Said>(COLLECTION).findOne({ _id: 'closing' });
	return found?.state ?? 'open';
}

interface Said {
	_id: string;
	state: Closing;
}

/** Has the store say it, to every process that works on it, and to those that start. */
export async function sayClosing(connection: Connection, state: Closing): Promise<void> {
	const collection = connection.collection<Said>(COLLECTION);
	if (state === 'open') {
		await collection.deleteOne({ _id: 'closing' });
		return;
	}
	const { matchedCount } = await collection.updateOne({ _id: 'closing' }, { $set: { state } });
	if (matchedCount === 0) await collection.insertOne({ _id: 'closing', state });
}

/** What a process does beside its writes, such as to send, and ends when the store is to be quiet. */
export interface Pausing {
	/** Resolves when all of it has ended, and is written. */
	pause(): Promise<void>;
	resume(): void;
}

/** ms between two looks at what the store says */
const LOOK_EVERY = 1_000;
/** ms for which a process of a cluster believes what it read; then it reads again before it writes */
export const BELIEVED_FOR = 3_000;
/** ms after which no process of a cluster writes any more what a gate that closed should have kept out: a write takes 8 s at most */
export const QUIET_AFTER = BELIEVED_FOR + 8_000;

/**
 * Keeps a process from writing to a store that is closed. An embedded process is told. In a cluster nobody can be told for
 * sure: each process looks, and writes only for as long as what it saw is fresh, one that stood still, too. So nobody
 * writes when that time has passed, and the one that a last write may take.
 */
export class StoreGate {
	readonly #connection: Connection;
	readonly #isShared: boolean;
	readonly #writes = new Running();
	readonly #pausing: Pausing[] = [];
	#state: Closing = 'open';
	/** Monotonic ms */
	#seen = performance.now();
	#looking: Promise<void> | undefined;
	#timer: NodeJS.Timeout | undefined;
	/** The closing or reopening that was asked for last */
	#last: Promise<void> = Promise.resolve();

	/**
	 * To be made before any model is.
	 * @param isShared whether other processes work on the store
	 */
	constructor(connection: Connection, isShared: boolean) {
		this.#connection = connection;
		this.#isShared = isShared;
		eachCollection(connection, (collection, name) => {
			if (name === COLLECTION) return;
			for (const method of WRITES) {
				const original = collection[method]!;
				const gate = this;
				collection[method] = function (this: unknown, ...args: unknown[]) {
					return gate.#pass(() => original.apply(this, args) as Promise<unknown>);
				};
			}
		});
		if (isShared) this.#timer = setInterval(() => void this.#look().catch(() => {}), LOOK_EVERY).unref();
	}

	/** What this process heard last. */
	get state(): Closing {
		return this.#state;
	}

	/** Whether this process writes nothing. */
	get isClosed(): boolean {
		return this.#state === 'closed' || this.#state === 'unfinished';
	}

	/** Has something paused while the store is to be quiet. */
	add(pausing: Pausing): void {
		this.#pausing.push(pausing);
	}

	/** Of an embedded process: ends what it sends, then what it writes. Resolves when nothing is under way any more. */
	close(): Promise<void> {
		return this.#inTurn(async () => {
			if (this.isClosed) return; // it never becomes quiet again, when writes would pass
			await sayClosing(this.#connection, 'quiet');
			await this.#become('quiet');
			await sayClosing(this.#connection, 'closed');
			await this.#become('closed');
			await this.#writes.none();
		});
	}

	/** Of an embedded process. A closing that is under way ends first, for it would go on behind this. */
	reopen(): Promise<void> {
		return this.#inTurn(async () => {
			await sayClosing(this.#connection, 'open');
			await this.#become('open');
		});
	}

	#inTurn(work: () => Promise<void>): Promise<void> {
		const done = this.#last.then(work);
		this.#last = done.catch(() => undefined);
		return done;
	}

	stop(): void {
		clearInterval(this.#timer);
	}

	#pass(write: () => Promise<unknown>): Promise<unknown> {
		if (this.#isShared && performance.now() - this.#seen > BELIEVED_FOR)
			return this.#look().then(() => this.#run(write));
		return this.#run(write);
	}

	#run(write: () => Promise<unknown>): Promise<unknown> {
		if (this.isClosed) {
			return Promise.reject(new StoreUnavailable('the store is closed, because it was exported: see `ops reopen`'));
		}
		this.#writes.begin();
		return write().finally(() => this.#writes.end());
	}

	async #look(): Promise<void> {
		this.#looking ??= this.#read().finally(() => {
			this.#looking = undefined;
		});
		await this.#looking;
	}

	async #read(): Promise<void> {
		const asked = performance.now();
		const state = await closingOf(this.#connection);
		this.#seen = asked;
		void this.#become(state);
	}

	async #become(state: Closing): Promise<void> {
		const before = this.#state;
		this.#state = state;
		if (before === 'open' && state !== 'open') await Promise.all(this.#pausing.map((each) => each.pause()));
		if (before !== 'open' && state === 'open') for (const each of this.#pausing) each.resume();
	}
}
