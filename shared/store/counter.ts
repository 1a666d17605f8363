import type { Connection, Model } from 'mongoose';
import { SerialBatches } from '../engine/serial-batches.ts';
import { insertNew } from './insert-new.ts';
import { modelOf, number, text } from './model.ts';
import { retryDeadlock } from './write-errors.ts';

export interface CounterRow {
	_id: string;
	/** The last number given out */
	value: number;
}

/** The model of a collection of counters; one row each. */
export function counterModel(connection: Connection, collection: string): Model<CounterRow> {
	const fields = { _id: text, value: number };
	return modelOf<CounterRow>(collection, collection, { fields, plugins: [], isTold: false })(connection);
}

/**
 * Gives out integers from 1, each once over all processes. Requests that are made in the same moment, or while an
 * increment is under way, share one `$inc`. Numbers that a process took and did not use are thrown away, so there are
 * gaps; a failed call may be repeated.
 */
export class Counter {
	readonly #model: Model<CounterRow>;
	readonly #name: string;
	readonly #takings: SerialBatches<number, number>;

	constructor(model: Model<CounterRow>, name: string) {
		this.#model = model;
		this.#name = name;
		this.#takings = new SerialBatches((counts) => this.#take(counts), queueMicrotask);
	}

	/**
	 * Takes `count` consecutive numbers.
	 *
	 * @param count 1 or more
	 * @returns the first of them
	 */
	nextIds(count: number): Promise<number> {
		return this.#takings.ask(count);
	}

	/** The last number that was given out; 0 before the first. */
	async last(): Promise<number> {
		const row = await this.#model.findById(this.#name).lean<CounterRow>();
		return row?.value ?? 0;
	}

	async #take(counts: number[]): Promise<number[]> {
		const total = counts.reduce((sum, count) => sum + count, 0);
		let next = (await this.#increase(total)) - total + 1;
		return counts.map((count) => {
			const first = next;
			next += count;
			return first;
		});
	}

	/** The counter's value after it was raised by `total`. The row is made when it is missing. */
	async #increase(total: number): Promise<number> {
		for (;;) {
			const row = await retryDeadlock(() =>
				// Past mongoose, whose part was a third of it: each batch of creations takes its ids here.
				this.#model.collection.findOneAndUpdate(
					{ _id: this.#name as never },
					{ $inc: { value: total } },
					{ returnDocument: 'after' },
				),
			);
			if (row) return row.value;
			await insertNew(this.#model, [{ _id: this.#name, value: 0 }]);
		}
	}
}
