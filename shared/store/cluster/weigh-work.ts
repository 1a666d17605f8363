import { LRUCache } from 'lru-cache';
import type { Connection } from 'mongoose';
import { elsewhere } from '../../work/long-work.ts';
import { Reading } from '../../work/reading.ts';
import { eachCollection, eachWrite, type Methods } from '../each-operation.ts';

type Filter = Record<string, unknown>;
interface Window {
	skip?: number;
	limit?: number;
}

/** What an entry of an index costs, as a part of what a document does */
const ENTRY = 0.01;
/** Entries of a range that are counted at most, ms that this may take, and ms for which the figure is good enough */
const MOST = 200_000;
const PATIENCE = 2_000;
const LASTS = 10_000;
/** Ranges whose size is known at a time, of each collection */
const KNOWN = 1_000;

/**
 * Tells each read what it cost. MongoDB does not say how many documents a query looked at. Where an index has the whole
 * filter, they are those that it found. Else they are an estimate: what the best index leaves for the rest of the filter
 * is counted first, of which no document is read, at most every 10 s. A query that found as many as it wanted may have
 * ended early and pays for those only; any other one went through the whole range. A large range takes one of the
 * account's permits for dear reads.
 */
export function weighReads(connection: Connection): void {
	eachCollection(connection, (collection, name) => {
		const ranges = new Ranges(collection, () => indexesOf(connection, name));
		const { find, countDocuments, aggregate } = collection;
		collection.find = function (filter, options) {
			const cursor = find!.call(this, filter, options) as { toArray(): Promise<unknown[]> };
			const reading = Reading.current();
			if (reading === undefined) return cursor;
			const toArray = cursor.toArray.bind(cursor);
			const { skip = 0, limit = 0 } = (options ?? {}) as Window;
			cursor.toArray = () =>
				ranges.weigh(reading, filter as Filter, toArray, ({ length }) => {
					return { found: length, units: length + skip * ENTRY, isFull: limit > 0 && length === limit };
				});
			return cursor;
		};
		collection.countDocuments = function (filter, options) {
			const count = () => countDocuments!.call(this, filter, options) as Promise<number>;
			const reading = Reading.current();
			if (reading === undefined) return count();
			const { limit = 0 } = (options ?? {}) as Window;
			return ranges.weigh(reading, filter as Filter, count, (found) => {
				return { found, units: 1 + found * ENTRY, isFull: limit > 0 && found === limit };
			});
		};
		collection.aggregate = function (stages, options) {
			const cursor = aggregate!.call(this, stages, options) as { toArray(): Promise<unknown[]> };
			const toArray = cursor.toArray.bind(cursor);
			const reading = Reading.current();
			if (reading !== undefined) {
				cursor.toArray = async () => {
					const rows = await toArray();
					reading.add(rows.length);
					return rows;
				};
			}
			return cursor;
		};
	});
}

interface Weight {
	found: number;
	/** Where an index has the whole filter */
	units: number;
	/** Whether it found as many as it wanted */
	isFull: boolean;
}

/** How large the ranges of one collection's indexes are. */
class Ranges {
	readonly #sizes = new LRUCache<string, Promise<number>>({ max: KNOWN, ttl: LASTS });
	readonly #count: (range: Filter) => Promise<number>;
	readonly #indexes: () => string[][];

	constructor(collection: Methods, indexes: () => string[][]) {
		const { countDocuments } = collection;
		this.#indexes = indexes;
		this.#count = (range) =>
			countDocuments!.call(collection, range, { limit: MOST, maxTimeMS: PATIENCE }) as Promise<number>;
	}

	async weigh<T>(reading: Reading, filter: Filter, ask: () => Promise<T>, tell: (answer: T) => Weight): Promise<T> {
		const range = walked(filter, this.#indexes());
		const size = range === undefined ? 0 : await this.#size(range);
		reading.assertWanted();
		const answer = await (size === 0 ? ask() : elsewhere(reading, size, ask));
		const { found, units, isFull } = tell(answer);
		if (range === undefined) reading.add(units);
		else reading.add(isFull ? Math.min(found, size) : size);
		return answer;
	}

	/** It is for all who ask, so it belongs to no read. */
	#size(range: Filter): Promise<number> {
		const key = JSON.stringify(range);
		let size = this.#sizes.get(key);
		if (size === undefined) {
			size = Reading.outside(() => this.#count(range)).catch(() => {
				this.#sizes.delete(key);
				return MOST;
			});
			this.#sizes.set(key, size);
		}
		return size;
	}
}

/** The paths of each index in order. Models are complete when the first read comes. */
function indexesOf(connection: Connection, name: string): string[][] {
	const model = Object.values(connection.models).find(({ collection }) => collection.name === name);
	return model?.schema.indexes().map(([key]) => Object.keys(key)) ?? [];
}

/**
 * What the best index leaves of a filter for reading documents.
 * @returns undefined where nothing is left, or no index helps
 */
function walked(filter: Filter, indexes: string[][]): Filter | undefined {
	if (isEqual(filter._id)) return undefined;
	let best: string[] = [];
	for (const index of indexes) {
		const used = index.slice(0, prefix(filter, index));
		if (used.length > best.length) best = used;
	}
	if (best.length === 0 || best.length === Object.keys(filter).length) return undefined;
	return Object.fromEntries(best.map((path) => [path, filter[path]]));
}

/** Leading paths of an index that bound what it walks: those compared for equality, and one range behind them. */
function prefix(filter: Filter, index: string[]): number {
	const equal = index.findIndex((path) => !isEqual(filter[path]));
	if (equal === -1) return index.length;
	return filter[index[equal]!] === undefined ? equal : equal + 1;
}

/** Whether a condition names its values. */
function isEqual(condition: unknown): boolean {
	if (condition === undefined) return false;
	if (typeof condition !== 'object' || condition === null || condition instanceof Date) return true;
	return '$in' in condition || '$eq' in condition;
}

/** What the driver's methods answer, each some of it */
interface Written {
	insertedCount?: number;
	matchedCount?: number;
	deletedCount?: number;
}

/** Tells each request what it wrote. A document that was looked for and not found is one, too. */
export function weighWrites(connection: Connection): void {
	eachWrite<Written | null>(connection, (written) => {
		const writing = Reading.writing();
		if (writing === undefined) return written;
		return written.then((result) => {
			writing.wrote(documents(result));
			return result;
		});
	});
}

function documents(result: Written | null): number {
	return Math.max(result?.insertedCount ?? result?.matchedCount ?? result?.deletedCount ?? 1, 1);
}
