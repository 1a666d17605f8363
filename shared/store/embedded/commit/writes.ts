import { mongo } from 'mongoose';
import type { Document, JsonObject } from '../query/json-value.ts';
import { matcher } from '../query/matcher.ts';
import { documentsPerStep, type Selection, scan } from '../query/scan.ts';
import type { Stored, Table } from '../table.ts';
import type { Change } from './changes.ts';
import { documentsTogether, type Write } from './group-commit.ts';

export interface Changed {
	matched: number;
	modified: number;
}

/** Inserts in order; `ordered` ends at the first document that a unique index refuses. */
export function* insertDocuments(table: Table, documents: Document[], ordered: boolean): Write<Refused[]> {
	const refused: Refused[] = [];
	for (const [index, document] of documents.entries()) {
		try {
			table.insert(document);
		} catch (error) {
			if (!(error instanceof mongo.MongoServerError)) throw error;
			refused.push({ index, error });
			if (ordered) break;
		}
		yield 1;
	}
	return refused;
}

/** Changes the first match. Nothing comes between finding and changing it. */
export function* updateFirst(table: Table, selection: Selection, change: Change): Write<Changed> {
	const found = yield* first(table, { ...selection, fields: readFor(change) });
	if (!found) return { matched: 0, modified: 0 };
	return { matched: 1, modified: applyChange(table, found, change) ? 1 : 0 };
}

/** The same, and answers the document as it was and as it is; undefined where there is none. */
export function* findAndUpdate(
	table: Table,
	selection: Selection,
	change: Change,
): Write<{ before: Document; after: Document } | undefined> {
	const found = yield* first(table, selection);
	if (!found) return undefined;
	const after = table.columns.decode(found.values);
	change.apply(after);
	table.update(found, after);
	return { before: found.document, after };
}

export function* updateAll(table: Table, filter: JsonObject, change: Change): Write<Changed> {
	const changed = { matched: 0, modified: 0 };
	for (const found of yield* matchesOf(table, filter, readFor(change))) {
		changed.matched++;
		if (applyChange(table, found, change)) changed.modified++;
		yield 1;
	}
	return changed;
}

export function* deleteFirst(table: Table, selection: Selection): Write<number> {
	const found = yield* first(table, selection);
	if (!found) return 0;
	table.delete(found);
	return 1;
}

export function* deleteAll(table: Table, filter: JsonObject): Write<number> {
	let deleted = 0;
	for (const found of yield* matchesOf(table, filter)) {
		table.delete(found);
		deleted++;
		yield 1;
	}
	return deleted;
}

/** True where the document is another one now; MongoDB counts only those as modified. */
function applyChange(table: Table, found: Stored, { apply, sets }: Change): boolean {
	const done = sets && table.set(found, sets);
	if (done !== undefined) return done;
	const whole = found.layout === table.columns ? found : table.read(found.row)!;
	apply(whole.document);
	return table.update(whole, whole.document);
}

/** What is read of a document that a change is made to; undefined: all of it. */
function readFor({ sets }: Change): readonly string[] | undefined {
	return sets && ['account_id', ...sets.keys()];
}

function* first(table: Table, selection: Selection): Write<Stored | undefined> {
	const steps = scan(table, { ...selection, skip: 0, limit: 1 });
	for (let step = steps.next(); ; step = steps.next()) {
		if (step.done || step.value.length > 0) {
			steps.return([]);
			return step.value[0];
		}
		yield documentsPerStep;
	}
}

/**
 * All matches are found before the first is changed, for a change may move a document to where it would be met again. Where
 * other writes may come in between, each is read again, and passed over where it does not match any more.
 */
function* matchesOf(table: Table, filter: JsonObject, fields?: readonly string[]): Write<Iterable<Stored>> {
	const steps = scan(table, { filter, sort: [], skip: 0, limit: 0, fields });
	let step = steps.next();
	if (step.done && step.value.length <= documentsTogether) return step.value;
	const rows: number[] = [];
	for (; ; step = steps.next()) {
		for (const { row } of step.value) rows.push(row);
		if (step.done) return readAgain(table, rows, matcher(filter));
		yield documentsPerStep;
	}
}

function* readAgain(table: Table, rows: number[], test: (document: Document) => boolean): Generator<Stored> {
	for (const row of rows) {
		const found = table.read(row);
		if (found && test(found.document)) yield found;
	}
}

/** A document of an `insertMany` that a unique index refused. */
export interface Refused {
	/** Its place in the array given */
	index: number;
	error: mongo.MongoServerError;
}

/** The driver's own class is not exported; mongoose sets `err.index` to the place in the caller's array. */
class WriteError {
	readonly err: { index: number; code: number; errmsg: string };

	constructor({ index, error }: Refused) {
		this.err = { index, code: Number(error.code), errmsg: error.message };
	}

	get index(): number {
		return this.err.index;
	}

	get code(): number {
		return this.err.code;
	}

	get errmsg(): string {
		return this.err.errmsg;
	}
}

/** As the MongoDB driver throws it, so that mongoose and callers read both alike. */
export function bulkWriteError(refused: Refused[], documents: Document[], ordered: boolean): Error {
	const indexes = new Set(refused.map(({ index }) => index));
	const written = [...documents.entries()].filter(([index]) =>
		ordered ? index < refused[0]!.index : !indexes.has(index),
	);
	const result = {
		insertedCount: written.length,
		matchedCount: 0,
		modifiedCount: 0,
		deletedCount: 0,
		upsertedCount: 0,
		upsertedIds: {},
		insertedIds: Object.fromEntries(written.map(([index, { _id }]) => [index, _id])),
		getWriteConcernError: () => undefined,
	};
	const { message, code } = refused[0]!.error;
	return new mongo.MongoBulkWriteError(
		{ message, code, writeErrors: refused.map((each) => new WriteError(each)) } as never,
		result as unknown as mongo.BulkWriteResult,
	);
}
