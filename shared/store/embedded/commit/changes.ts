import { $inc, $pull, $push, $set, $unset } from 'mingo/operators/update';
import { mongo } from 'mongoose';
import { type Document, type Json, type JsonObject, toJson } from '../query/json-value.ts';

export interface Change {
	/** Changes a document in place. */
	apply(document: Document): void;
	/** All that it does, where it sets whole fields and nothing else */
	readonly sets: ReadonlyMap<string, Json> | undefined;
}

/** The operators that the models use; mingo carries them out. (Its `$addToSet` adds nothing to a list with duplicates.) */
const operators: Record<string, (changes: JsonObject) => (document: Document) => unknown> = {
	$set,
	$unset: $unset as never,
	$inc: $inc as never,
	$push,
	$pull,
};

/** Operators that make no field where a part of the path is missing. */
const passOver = new Set(['$unset', '$pull']);

/**
 * Reads an update document.
 *
 * @returns what throws MongoServerError where MongoDB refuses what mingo would pass over: `$inc` of a text,
 * `$push` to no array, a path through a scalar, null or an array
 * @throws Error where the update is a replacement, a pipeline, or has an operator or a path that is not supported
 */
export function changeOf(update: object): Change {
	if (Array.isArray(update)) throw new Error('the embedded store has no pipeline updates');
	const plain = toJson(update) as Record<string, JsonObject>;
	const steps = Object.entries(plain).map(([name, changes]) => {
		const operator = Object.hasOwn(operators, name) ? operators[name] : undefined;
		if (!operator) throw new Error(`the embedded store has no update operator ${name}`);
		return { name, paths: Object.keys(changes).map(pathOf), change: operator(changes) };
	});
	refuseConflicts(steps.flatMap(({ paths }) => paths.map(({ path }) => path)));
	const { $set: sets = {}, ...others } = plain;
	const isWhole = Object.keys(others).length === 0 && Object.keys(sets).every((path) => !path.includes('.'));
	return {
		apply(document) {
			for (const { name, paths } of steps) for (const path of paths) assertFits(document, name, path);
			for (const { change } of steps) change(document);
		},
		sets: isWhole ? new Map(Object.entries(sets)) : undefined,
	};
}

interface Path {
	path: string;
	parents: string[];
	last: string;
}

function pathOf(path: string): Path {
	if (path === '_id' || path.startsWith('_id.')) throw refusal(66, 'an update cannot change _id');
	if (path.includes('$')) throw new Error(`the embedded store has no positional update: ${path}`);
	const parents = path.split('.');
	return { path, last: parents.pop()!, parents };
}

/** Two operators must not change one field, nor one of them a part of what the other changes. */
function refuseConflicts(paths: string[]): void {
	const sorted = paths.map((path) => `${path}.`).sort();
	const at = sorted.findIndex((path, index) => index > 0 && path.startsWith(sorted[index - 1]!));
	if (at > 0) throw refusal(40, `updating ${paths.join(', ')} conflicts at ${sorted[at]!.slice(0, -1)}`);
}

function assertFits(document: Document, operator: string, { path, parents, last }: Path): void {
	let parent: Json = document;
	for (const key of parents) {
		const next = child(parent, key);
		if (next === undefined && !throughArray(parent, key)) return;
		if (typeof next !== 'object' || next === null) {
			if (passOver.has(operator)) return;
			throw refusal(28, `${operator} cannot reach ${path}: ${key} is no object`);
		}
		parent = next;
	}
	if (throughArray(parent, last) && !passOver.has(operator)) {
		throw refusal(28, `${operator} cannot reach ${path}: it goes through an array`);
	}
	const current = child(parent, last);
	if (current === undefined) return;
	if (operator === '$inc' && typeof current !== 'number') {
		throw refusal(14, `$inc of ${path}, which is no number`);
	}
	if ((operator === '$push' || operator === '$pull') && !Array.isArray(current)) {
		throw refusal(2, `${operator} to ${path}, which is no array`);
	}
}

function throughArray(parent: Json, key: string): boolean {
	return Array.isArray(parent) && !/^\d+$/.test(key);
}

function child(parent: Json, key: string): Json | undefined {
	if (Array.isArray(parent)) return parent[Number(key)];
	return Object.hasOwn(parent as JsonObject, key) ? (parent as JsonObject)[key] : undefined;
}

function refusal(code: number, message: string): Error {
	return new mongo.MongoServerError({ message, code });
}
