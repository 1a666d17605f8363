import { setImmediate as turn } from 'node:timers/promises';
import type { AccountKey } from '../contract/actions/common.ts';
import { inBatch, type Span, tracing } from '../tracing/tracing.ts';
import { withoutDeadline } from '../work/deadline.ts';
import { Reading, SharedReading } from '../work/reading.ts';

interface Waiting<V> {
	/** Of the requests that wait */
	readonly spans: (Span | undefined)[];
	readonly readings: (Reading | undefined)[];
	answer: Promise<V>;
}

/**
 * One read for all who ask for the same thing in one turn of the event loop. It begins at the turn's end, and whoever
 * asks later gets a read of his own: an answer is never older than its question. It goes on while one of them waits.
 *
 * All of them get the same answer, which none may change: it is frozen, and so is each list in it. Who tries fails, alone too.
 */
export class SharedReads<V> {
	readonly #waiting = new Map<AccountKey, Waiting<V>>();

	/** @param key names what `read` reads: of several who ask, one's is run */
	ask(key: AccountKey, read: () => Promise<V>): Promise<V> {
		let waiting = this.#waiting.get(key);
		if (waiting === undefined) {
			const answer = withoutDeadline(() => this.#readLater(key, read));
			waiting = { spans: [], readings: [], answer };
			this.#waiting.set(key, waiting);
		}
		waiting.readings.push(Reading.current());
		if (tracing !== undefined) waiting.spans.push(tracing.current());
		return waiting.answer;
	}

	async #readLater(key: AccountKey, read: () => Promise<V>): Promise<V> {
		await turn();
		const { spans, readings } = this.#waiting.get(key)!;
		this.#waiting.delete(key);
		return frozen(await SharedReading.runFor(readings, () => inBatch('batch', () => spans, read)));
	}
}

function frozen<V>(answer: V): V {
	if (typeof answer !== 'object' || answer === null) return answer;
	for (const part of Object.values(answer)) if (Array.isArray(part)) Object.freeze(part);
	return Object.freeze(answer);
}
