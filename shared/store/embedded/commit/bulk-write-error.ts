import { mongo } from 'mongoose';
import type { Document } from '../query/json-value.ts';

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
