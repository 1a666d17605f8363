import { type JsonObject, toJson } from './json-value.ts';
import type { Sort } from './plan.ts';
import type { Selection } from './scan.ts';

/** What mongoose passes beside filter and update; the rest of it is about servers and is passed over. */
export interface Options {
	projection?: unknown;
	sort?: unknown;
	skip?: number;
	limit?: number;
	ordered?: boolean;
	returnDocument?: 'before' | 'after';
	includeResultMetadata?: boolean;
	unique?: unknown;
	name?: string;
	background?: unknown;
}

/** Options that change what an operation does, and that this store does not have. */
const unsupported = [
	'upsert',
	'session',
	'collation',
	'arrayFilters',
	'hint',
	'explain',
	'let',
	'min',
	'max',
	'tailable',
];

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
