import { update as applyOperators } from 'mingo/updater';
import { mongo } from 'mongoose';
import type { Document, Json, JsonObject } from './json-value.ts';

/** The operators that the models use; mingo carries them out. */
const operators = new Set(['$set', '$unset', '$inc', '$push', '$pull', '$addToSet']);

/** Refuses an update that is a replacement, a pipeline, or uses an operator that is not supported. */
export function assertSupported(update: JsonObject): void {
	if (Array.isArray(update)) throw new Error('the embedded store has no pipeline updates');
	for (const operator of Object.keys(update)) {
		if (!operators.has(operator)) throw new Error(`the embedded store has no update operator ${operator}`);
	}
}

/**
 * Changes a document in place.
 *
 * @throws MongoServerError where MongoDB refuses what mingo would pass over: `$inc` of a text, `$push` to no array, a path
 * through a scalar, null or an array
 */
export function applyUpdate(document: Document, update: JsonObject): void {
	for (const [operator, changes] of Object.entries(update)) {
		for (const path of Object.keys(changes as JsonObject)) assertFits(document, operator, path);
	}
	applyOperators(document, update, [], {}, { cloneMode: 'deep' });
}

function assertFits(document: Document, operator: string, path: string): void {
	if (path === '_id' || path.includes('$')) throw refusal(66, `${operator} cannot change ${path}`);
	const keys = path.split('.');
	const last = keys.pop()!;
	let parent: Json | undefined = document;
	for (const key of keys) {
		parent = child(parent as Json, key);
		if (parent === undefined) return;
		const isObject = typeof parent === 'object' && parent !== null;
		if (!isObject && (operator === '$unset' || operator === '$pull')) return;
		if (!isObject) throw refusal(28, `${operator} cannot reach ${path}: ${key} is no object`);
	}
	const current = child(parent, last);
	if (Array.isArray(parent) && !/^\d+$/.test(last) && operator !== '$unset' && operator !== '$pull') {
		throw refusal(28, `${operator} cannot reach ${path}: it goes through an array`);
	}
	if (current === undefined) return;
	if (operator === '$inc' && typeof current !== 'number')
		throw refusal(14, `${operator} of ${path}, which is no number`);
	if ((operator === '$push' || operator === '$pull' || operator === '$addToSet') && !Array.isArray(current)) {
		throw refusal(2, `${operator} to ${path}, which is no array`);
	}
}

function child(parent: Json, key: string): Json | undefined {
	if (Array.isArray(parent)) return parent[Number(key)];
	return Object.hasOwn(parent as JsonObject, key) ? (parent as JsonObject)[key] : undefined;
}

function refusal(code: number, message: string): Error {
	return new mongo.MongoServerError({ message, code });
}
