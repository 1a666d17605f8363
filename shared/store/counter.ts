import { type Connection, type Model, Schema } from 'mongoose';
import { withoutDeadline } from '../work/deadline.ts';
import { schemaOptions } from './schema-options.ts';
import { isDuplicateKey, retryDeadlock } from './write-errors.ts';

export interface CounterRow {
	_id: string;
	/** The last number given out */
	value: number;
}

const counterSchema = new Schema<CounterRow>(
	{ _id: { type: String, required: true }, value: { type: Number, required: true } },
	schemaOptions,
);

/** The model of a collection of counters; one row each. */
export function counterModel(connection: Connection, collection: string): Model<CounterRow> {
	return connection.model<CounterRow>(collection, counterSchema, collection);
}

interface Request {
	count: number;
	resolve(first: number): void;
	reject(error: unknown): void;
}

/**
 * Gives out integers from 1, each once over all processes. Requests that are made in the same moment, or while an
 * increment is under way, share one `$inc`. Numbers that a process took and did not use are thrown away, so there are
 * gaps; a failed call may be repeated.
 */
export class Counter {
	readonly #model: Model<CounterRow>;
	readonly #name: string;
	#waiting: Request[] = [];
	#running = false;

	constructor(model: Model<CounterRow>, name: string) {
		this.#model = model;
		this.#name = name;
	}

	/**
	 * Takes `count` consecutive numbers.
	 *
	 * @param count 1 or more
	 * @returns the first of them
	 */
	nextIds(count: number): Promise<number> {
		return new Promise((resolve, reject) => {
			this.#waiting.push({ count, resolve, reject });
			if (!this.#running) {
				this.#running = true;
				queueMicrotask(() => withoutDeadline(() => this.#serve())); // a number that nobody needs any more is thrown away
			}
		});
	}

	async #serve(): Promise<void> {
		while (this.#waiting.length > 0) {
			const requests = this.#waiting;
			this.#waiting = [];
			const total = requests.reduce((sum, request) => sum + request.count, 0);
			try {
				let next = (await this.#increase(total)) - total + 1;
				for (const request of requests) {
					request.resolve(next);
					next += request.count;
				}
			} catch (error) {
				for (const request of requests) request.reject(error);
			}
		}
		this.#running = false;
	}

	/** The counter's value after it was raised by `total`. The row is made when it is missing. */
	async #increase(total: number): Promise<number> {
		for (;;) {
			const row = await retryDeadlock(() =>
				this.#model
					.findOneAndUpdate({ _id: this.#name }, { $inc: { value: total } }, { returnDocument: 'after' })
					.lean<CounterRow>(),
			);
			if (row) return row.value;
			await this.#model.insertMany([{ _id: this.#name, value: 0 }], { lean: true }).catch((error) => {
				if (!isDuplicateKey(error)) throw error;
			});
		}
	}
}
