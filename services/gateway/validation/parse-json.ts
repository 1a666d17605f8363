import { isUtf8 } from 'node:buffer';
import { ApiError } from '../../../shared/contract/errors.ts';
import { isObject } from './pick-fields.ts';

const MAX_DEPTH = 20;
const FORBIDDEN_NAMES = new Set(['__proto__', 'constructor', 'prototype']);
const { isArray } = Array;

/**
 * A body as a JSON object. Names that mean something to JavaScript or to a database are refused at any depth, in fields
 * that would be ignored too. `JSON.parse` keeps `__proto__` as a field of its own and does not recurse.
 * @throws malformed_json; invalid_request where it is no object, nested too deeply, or has a forbidden name
 */
export function parseJson(bytes: Buffer): Record<string, unknown> {
	const value = parse(bytes);
	if (!isObject(value)) throw new ApiError('invalid_request', 'body: must be a JSON object');
	inspect(value, 1);
	return value;
}

function parse(bytes: Buffer): unknown {
	if (!isUtf8(bytes)) throw new ApiError('malformed_json');
	try {
		return JSON.parse(bytes.toString());
	} catch {
		throw new ApiError('malformed_json');
	}
}

/** A body may hold 80,000 values and 30,000 names: what is done for each of them adds up. */
function inspect(value: object, depth: number): void {
	if (depth > MAX_DEPTH) throw new ApiError('invalid_request', `body: must be at most ${MAX_DEPTH} levels deep`);
	if (isArray(value)) {
		for (const item of value) if (typeof item === 'object' && item !== null) inspect(item, depth + 1);
		return;
	}
	for (const name in value) {
		if (FORBIDDEN_NAMES.has(name) || name.startsWith('$') || name.includes('.')) {
			throw new ApiError('invalid_request', `${name.slice(0, 80).toWellFormed()}: is not an allowed field name`);
		}
		const field = (value as Record<string, unknown>)[name];
		if (typeof field === 'object' && field !== null) inspect(field, depth + 1);
	}
}
