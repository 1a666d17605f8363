import type { Slices } from '../../../work/long-work.ts';
import type { Stored } from '../table.ts';
import type { Document } from './json-value.ts';
import type { Watch } from './watch.ts';

/** Documents that are decoded between two looks at the clock */
const DOCUMENTS_A_LOOK = 50;

/** How all matches of a filter become those of one moment, where reading them takes several steps. */
export interface Whole {
	/** To be called before anybody else has a turn. */
	watch(): Watch;
	asOfNow(found: Stored[], watch: Watch): Stored[];
}

/** What `find` and `aggregate` answer: the part of a driver's cursor that mongoose uses. */
export class FindCursor {
	readonly #steps: Generator<Stored[], Stored[], void>;
	readonly #project: (stored: Stored) => Document;
	readonly #durable: () => Promise<void> | undefined;
	readonly #slices: Slices;
	readonly #whole: Whole | undefined;
	#buffer: Document[] = [];
	#started = false;
	#done = false;

	/**
	 * @param project what is told of a document
	 * @param slices what the steps are measured by
	 * @param durable what to wait for before the documents that were just read are told of
	 * @param whole where all matches are asked for: they are of one moment
	 */
	constructor(
		steps: Generator<Stored[], Stored[], void>,
		project: (stored: Stored) => Document,
		durable: () => Promise<void> | undefined,
		slices: Slices,
		whole?: Whole,
	) {
		this.#slices = slices;
		this.#steps = steps;
		this.#project = project;
		this.#durable = durable;
		this.#whole = whole;
	}

	async toArray(): Promise<Document[]> {
		let found: Stored[] = [];
		let watch: Watch | undefined;
		try {
			for (;;) {
				await this.#turn();
				const { done, value } = this.#steps.next();
				for (const [at, stored] of value.entries()) {
					if (at % DOCUMENTS_A_LOOK === 0 && this.#slices.isUsedUp && at > 0) {
						watch ??= this.#whole?.watch();
						await this.#slices.next();
					}
					found.push(stored.decoded());
				}
				if (done === true) break;
				watch ??= this.#whole?.watch();
			}
			if (watch !== undefined) found = this.#whole!.asOfNow(found, watch);
		} finally {
			watch?.end();
			this.#end();
		}
		const onDisk = this.#durable();
		if (onDisk !== undefined) await onDisk;
		return found.map(this.#project);
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

	async #read(): Promise<void> {
		try {
			await this.#turn();
			const { done, value } = this.#steps.next();
			if (done === true) this.#end();
			this.#buffer = value.map(this.#project);
		} catch (error) {
			this.#end();
			throw error;
		}
		const onDisk = this.#durable();
		if (onDisk !== undefined) await onDisk;
	}

	/** Other work gets its turn before every step but the first, and before that where many reads began in this one. */
	async #turn(): Promise<void> {
		const turn = this.#started ? this.#slices.next() : readTurn();
		this.#started = true;
		if (turn !== undefined) await turn;
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
