import { setImmediate as turn } from 'node:timers/promises';
import type { AccountKey } from './account-key.ts';
import { withoutDeadline } from './deadline.ts';
import { inBatch, type Span, tracing } from './tracing/tracing.ts';

interface Waiting<V> {
	/** Of the requests that wait */
	readonly spans: (Span | undefined)[];
	answer: Promise<V>;
}

/**
 * One read for all who ask for the same thing in one turn of the event loop. It begins at the turn's end, and whoever
 * asks later gets a read of his own: an answer is never older than its question.
 */
export class SharedReads<V> {
	readonly #waiting = new Map<AccountKey, Waiting<V>>();

	/** @param key names what `read` reads: of several who ask, one's is run */
	ask(key: AccountKey, read: () => Promise<V>): Promise<V> {
		let waiting = this.#waiting.get(key);
		if (waiting === undefined) {
			waiting = { spans: [], answer: withoutDeadline(() => this.#readLater(key, read)) };
			this.#waiting.set(key, waiting);
		}
		if (tracing !== undefined) waiting.spans.push(tracing.current());
		return waiting.answer;
	}

	async #readLater(key: AccountKey, read: () => Promise<V>): Promise<V> {
		await turn();
		const { spans } = this.#waiting.get(key)!;
		this.#waiting.delete(key);
		return inBatch('batch', () => spans, read);
	}
}
