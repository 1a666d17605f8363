import { Query } from 'mingo/query';
import { type Document, type JsonObject, toJson } from './json-value.ts';
import type { Sort } from './plan.ts';
import type { Selection } from './scan.ts';

/** What mongoose passes beside filter and update; the rest of it is about servers and is passed over. */
export interface Options {
	projection?: unknown;
	sort?: unknown;
	skip?: number;
	limit?: number;
	/** Name of the index to use */
	hint?: string;
	ordered?: boolean;
	returnDocument?: 'before' | 'after';
	includeResultMetadata?: boolean;
	unique?: unknown;
	name?: string;
	partialFilterExpression?: object;
	background?: unknown;
}

/** Options that change what an operation does, and that this store does not have. */
const unsupported = ['upsert', 'session', 'collation', 'arrayFilters', 'explain', 'let', 'min', 'max', 'tailable'];

/** @throws Error that names the option */
export function rejectOptions(options: object): void {
	for (const name of unsupported) {
		if ((options as Record<string, unknown>)[name]) throw new Error(`the embedded store has no option ${name}`);
	}
}

/** Filter, order and window of an operation. */
export function selectionOf(filter: object, options: Options): Selection {
	rejectOptions(options);
	return {
		filter: toJson(filter) as JsonObject,
		sort: sortOf(options.sort),
		skip: options.skip ?? 0,
		limit: Math.abs(options.limit ?? 0),
		hint: options.hint,
	};
}

function sortOf(sort: unknown): Sort {
	if (sort === undefined || sort === null) return [];
	const entries = sort instanceof Map ? [...sort] : Object.entries(sort);
	return entries.map(([path, direction]) => {
		if (direction !== 1 && direction !== -1) throw new Error(`the embedded store cannot sort ${path} by ${direction}`);
		return [path, direction];
	});
}

/** Of projections that queries have again and again */
const asked = new WeakMap<object, readonly string[] | undefined>();

/**
 * The fields that a projection names, where it does nothing but name whole ones; undefined where it does more. For the same
 * projection it is the same list.
 */
export function fieldsAsked(projection: unknown): readonly string[] | undefined {
	if (typeof projection !== 'object' || projection === null) return undefined;
	if (!asked.has(projection)) asked.set(projection, wholeFields(projection));
	return asked.get(projection);
}

function wholeFields(projection: object): string[] | undefined {
	const entries = Object.entries(projection);
	if (entries.length === 0 || !entries.every(([path, value]) => isTrue(value) && !path.includes('.'))) return undefined;
	return entries.map(([path]) => path);
}

const everything = new Query({}, {});

/** What a query's `projection` leaves of a document; the fields stay in their order. */
export function projector(projection: unknown): (document: Document) => Document {
	if (typeof projection !== 'object' || projection === null) return (document) => document;
	const { _id: id, ...fields } = projection as Record<string, unknown>;
	const paths = new Set(Object.keys(fields));
	if (paths.size === 0 && id === undefined) return (document) => document;
	const including = paths.size > 0 ? isTrue(Object.values(fields)[0]) : isTrue(id);
	const simple = [...paths].every((path) => !path.includes('.') && typeof fields[path] !== 'object');
	if (!simple || !Object.values(fields).every((value) => isTrue(value) === including)) return byMingo(projection);
	if (id === undefined ? including : isTrue(id) === including) paths.add('_id');
	return (document) => pick(document, (key) => paths.has(key) === including);
}

function byMingo(projection: object): (document: Document) => Document {
	return (document) => everything.find<Document>([document], projection as JsonObject).all()[0]!;
}

function pick(document: Document, wanted: (key: string) => boolean): Document {
	const picked: Document = {};
	for (const key in document) if (wanted(key)) picked[key] = document[key]!;
	return picked;
}

function isTrue(value: unknown): boolean {
	return value === 1 || value === true;
}
