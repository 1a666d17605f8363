/** What a document is made of. */
export type Json = null | boolean | number | string | Json[] | JsonObject;
export interface JsonObject {
	[key: string]: Json;
}

/** A document of a collection; its `_id` is a number or a string. */
export type Document = JsonObject;

/**
 * A copy of `value` that holds nothing but JSON, as MongoDB would store it: `undefined` becomes null, and what knows how to
 * become a document (`toBSON`, as mongoose's arrays and sub-documents do) does so.
 *
 * @throws TypeError that names the path of a `Date`, an ObjectId, a buffer, NaN or the like
 */
export function toJson(value: unknown, path = ''): Json {
	switch (typeof value) {
		case 'string':
		case 'boolean':
			return value;
		case 'number':
			if (Number.isFinite(value)) return value;
			break;
		case 'undefined':
			return null;
		case 'object':
			if (value === null) return null;
			return fromObject(value, path);
	}
	throw new TypeError(`${path}: ${String(value)} is not JSON`);
}

function fromObject(value: object, path: string): Json {
	if ('toBSON' in value && typeof value.toBSON === 'function') return toJson(value.toBSON(), path);
	if (Array.isArray(value)) return value.map((each, index) => toJson(each, `${path}.${index}`));
	if (!isPlain(value)) throw new TypeError(`${path}: ${value.constructor?.name ?? 'this object'} is not JSON`);
	const copy: JsonObject = {};
	for (const key in value) {
		const field = (value as Record<string, unknown>)[key];
		if (key === '__proto__') throw new TypeError(`${path}: __proto__ is no field name`);
		copy[key] = typeof field === 'string' ? field : toJson(field, path === '' ? key : `${path}.${key}`);
	}
	return copy;
}

/** Object literals, `Object.create(null)`, and literals of another realm, which tests run in. */
function isPlain(value: object): boolean {
	const prototype = Object.getPrototypeOf(value);
	return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** The value at a path of dotted keys; undefined where there is none. Arrays are not entered. */
export function valueAt(document: JsonObject, path: string): Json | undefined {
	let value: Json | undefined = document;
	for (const key of path.split('.')) {
		if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
		value = Object.hasOwn(value, key) ? value[key] : undefined;
	}
	return value;
}
