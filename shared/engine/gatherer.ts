import type { Scoped } from '../contract/actions/common.ts';
import { inBatch, type Span, tracing } from '../tracing/tracing.ts';
import { Deadline, DeadlinePassed, underDeadline } from '../work/deadline.ts';
import { Reading, SharedReading } from '../work/reading.ts';

interface Waiting<K, V> {
	key: K;
	resolve: (value: V) => void;
	reject: (error: unknown) => void;
	/** Of the request that waits */
	span: Span | undefined;
	deadline: Deadline | undefined;
	/** Where the request only reads */
	reading: Reading | undefined;
}

/**
 * Group commit, and the same for reads: whatever is asked for while earlier batches are under way leaves together in
 * the next one. Batches so grow with the load, and an idle process waits for nothing but the end of the event loop's
 * current turn. A key joins only a batch that has not left, so an answer is never older than its question.
 *
 * A batch is about several accounts: each key names its own, and its answer is to be that account's (`matchOwned`).
 * It runs under the earliest deadline of its requests; those that are late are told so before it leaves. Where that
 * deadline passes before a write was sent, the others leave again without the late ones.
 */
export class Gatherer<K extends Scoped, V> {
	readonly #load: (keys: K[]) => Promise<(V | Error)[]>;
	readonly #maxBatch: number;
	readonly #maxInFlight: number;
	#waiting: Waiting<K, V>[] = [];
	#inFlight = 0;
	#scheduled = false;

	/**
	 * @param load answers one value or error a key, in the order of the keys; a rejection is every key's error
	 * @param maxBatch keys of one batch; 1 to 500, for no statement of the embedded store touches more documents at once
	 * @param maxInFlight batches under way at the same time
	 */
	constructor(load: (keys: K[]) => Promise<(V | Error)[]>, { maxBatch = 250, maxInFlight = 2 } = {}) {
		this.#load = load;
		this.#maxBatch = maxBatch;
		this.#maxInFlight = maxInFlight;
	}

	ask(key: K): Promise<V> {
		return new Promise((resolve, reject) => {
			this.#waiting.push({
				key,
				resolve,
				reject,
				span: tracing?.current(),
				deadline: Deadline.current(),
				reading: Reading.current(),
			});
			this.#schedule();
		});
	}

	#schedule(): void {
		if (this.#scheduled || this.#inFlight >= this.#maxInFlight || this.#waiting.length === 0) return;
		this.#scheduled = true;
		setImmediate(() => {
			this.#scheduled = false;
			void this.#leave(inTime(this.#waiting.splice(0, this.#maxBatch)));
			this.#schedule();
		});
	}

	async #leave(batch: Waiting<K, V>[]): Promise<void> {
		if (batch.length === 0) return;
		this.#inFlight++;
		const deadline = Deadline.earliest(batch.map((waiting) => waiting.deadline));
		try {
			const load = () => underDeadline(deadline, () => this.#load(batch.map(({ key }) => key)));
			const spans = () => batch.map(({ span }) => span);
			const readings = batch.map(({ reading }) => reading);
			const values = await SharedReading.runFor(readings, () => inBatch('batch', spans, load));
			batch.forEach(({ resolve, reject }, index) => {
				const value = values[index] as V | Error;
				if (value instanceof Error) reject(value);
				else resolve(value);
			});
		} catch (error) {
			if (DeadlinePassed.isOf(deadline, error)) this.#waiting.unshift(...inTime(batch));
			else for (const { reject } of batch) reject(error);
		} finally {
			this.#inFlight--;
			this.#schedule();
		}
	}
}

/** Tells those whose deadline has passed. @returns the others */
function inTime<K, V>(batch: Waiting<K, V>[]): Waiting<K, V>[] {
	return batch.filter(({ deadline, reject }) => {
		if (deadline === undefined || deadline.remaining() > 0) return true;
		reject(new DeadlinePassed(deadline));
		return false;
	});
}
