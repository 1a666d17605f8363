import type { Slices } from '../../../work/long-work.ts';
import type { Stored } from '../table.ts';
import type { Document } from './json-value.ts';

/** What `find` and `aggregate` answer: the part of a driver's cursor that mongoose uses. */
export class FindCursor {
	readonly #steps: Generator<Stored[], Stored[], void>;
	readonly #project: (document: Document) => Document;
	readonly #durable: () => Promise<void> | undefined;
	readonly #slices: Slices;
	#buffer: Document[] = [];
	#started = false;
	#done = false;

	/**
	 * @param slices what the steps are measured by
	 * @param durable what to wait for before the documents that were just read are told of
	 */
	constructor(
		steps: Generator<Stored[], Stored[], void>,
		project: (document: Document) => Document,
		durable: () => Promise<void> | undefined,
		slices: Slices,
	) {
		this.#slices = slices;
		this.#steps = steps;
		this.#project = project;
		this.#durable = durable;
	}

	async toArray(): Promise<Document[]> {
		const all: Document[] = [];
		while (!this.#done) {
			await this.#read();
			all.push(...this.#buffer);
		}
		this.#buffer = [];
		return all;
	}

	/** @returns null after the last one */
	async next(): Promise<Document | null> {
		while (this.#buffer.length === 0 && !this.#done) await this.#read();
		return this.#buffer.shift() ?? null;
	}

	async close(): Promise<void> {
		this.#done = true;
		this.#buffer = [];
		this.#end();
	}

	async *[Symbol.asyncIterator](): AsyncGenerator<Document, void> {
		try {
			for (let next = await this.next(); next; next = await this.next()) yield next;
		} finally {
			await this.close();
		}
	}

	/** Other work gets its turn before every step but the first, and before that where many reads began in this one. */
	async #read(): Promise<void> {
		try {
			const first = this.#started ? this.#slices.next() : readTurn();
			if (first !== undefined) await first;
			this.#started = true;
			const { done, value } = this.#steps.next();
			if (done === true) this.#end();
			this.#buffer = value.map(({ document }) => this.#project(document));
		} catch (error) {
			this.#end();
			throw error;
		}
		const onDisk = this.#durable();
		if (onDisk !== undefined) await onDisk;
	}

	#end(): void {
		this.#done = true;
		this.#steps.return([]);
		this.#slices.end();
	}
}

/** Reads that may begin before the event loop gets its turn; a request begins about ten */
const MOST = 1_000;

let begun = 0;

/**
 * To be asked when a read begins. A short answer is there without a turn of the event loop, so code that reads, decides and
 * reads again could keep it from everything else, timers and writes included, which it may be waiting for.
 * @returns what to wait for first; undefined nearly always
 */
function readTurn(): Promise<void> | undefined {
	if (begun++ === 0) setImmediate(reset);
	return begun > MOST ? new Promise((resolve) => setImmediate(resolve)) : undefined;
}

function reset(): void {
	begun = 0;
}
