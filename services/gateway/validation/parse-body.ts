import { isUtf8 } from 'node:buffer';
import { ApiError, type FaultCode } from '../../../shared/contract/errors.ts';
import type { Faults } from './faults.ts';
import { isObject, type JsonSchema, withoutNull } from './json-schema.ts';

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
	if (!isObject(value)) throw refused('body', 'wrong_type', 'must be a JSON object');
	inspect(value, 1, '');
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

/**
 * A body may hold 80,000 values and 30,000 names: what is done for each of them adds up.
 * @param parent the field that it is the value of; empty for the body
 */
function inspect(value: object, depth: number, parent: string): void {
	if (depth > MAX_DEPTH) throw refused('body', 'not_allowed', `must be at most ${MAX_DEPTH} levels deep`);
	if (isArray(value)) {
		for (const item of value) if (typeof item === 'object' && item !== null) inspect(item, depth + 1, parent);
		return;
	}
	for (const name in value) {
		if (FORBIDDEN_NAMES.has(name) || name.startsWith('$') || name.includes('.')) {
			const field = parent === '' ? name : `${parent}.${name}`;
			throw refused(field.slice(0, 80).toWellFormed(), 'not_allowed', 'is not an allowed field name');
		}
		const field = (value as Record<string, unknown>)[name];
		if (typeof field === 'object' && field !== null) inspect(field, depth + 1, name);
	}
}

function refused(field: string, code: FaultCode, message: string): ApiError {
	return ApiError.naming('invalid_request', [{ field, code, message }]);
}

const { hasOwn, keys } = Object;

/**
 * The fields of `body` that an operation takes. One that only the resource has is left out, so that what was read can
 * be changed and sent back; one that neither has is a fault, so that a typo is not lost (contract §1).
 */
export function pickFields(
	body: Record<string, unknown>,
	taken: JsonSchema,
	resource: JsonSchema,
	faults: Faults,
	path = '',
): Record<string, unknown> {
	const picked: Record<string, unknown> = {};
	for (const name of keys(body)) {
		const field = path === '' ? name : `${path}.${name}`;
		const schema = propertyOf(taken, name);
		if (schema !== undefined) {
			picked[name] = pickItems(body[name], schema, propertyOf(resource, name), faults, field);
		} else if (propertyOf(resource, name) === undefined) {
			faults.add(field, 'unknown', 'is not a known field');
		}
	}
	return picked;
}

/** The fields of `body` that only the resource has: what a client read there, or takes for changeable. */
export function restOf(body: Record<string, unknown>, taken: JsonSchema): Record<string, unknown> {
	return Object.fromEntries(Object.entries(body).filter(([name]) => propertyOf(taken, name) === undefined));
}

/** The same for an object, and for each object of an array; any other value as it is. */
function pickItems(
	value: unknown,
	taken: JsonSchema,
	resource: JsonSchema | undefined,
	faults: Faults,
	field: string,
): unknown {
	const { properties, items, maxItems = Number.MAX_SAFE_INTEGER } = withoutNull(taken).schema;
	if (properties !== undefined && isObject(value)) {
		return pickFields(value, withoutNull(taken).schema, resource ? withoutNull(resource).schema : {}, faults, field);
	}
	if (items?.properties === undefined || !Array.isArray(value)) return value;
	// One item too many is enough to be refused; a body can hold a hundred thousand.
	return value.slice(0, maxItems + 1).map((item: unknown, index) => {
		if (isObject(item)) return pickFields(item, items, resource?.items ?? {}, faults, `${field}[${index}]`);
		return item ?? false; // fastest-validator names the index of a wrong item, but not of a null
	});
}

function propertyOf(schema: JsonSchema, name: string): JsonSchema | undefined {
	return schema.properties && hasOwn(schema.properties, name) ? schema.properties[name] : undefined;
}
