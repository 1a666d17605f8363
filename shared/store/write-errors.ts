import { setTimeout as wait } from 'node:timers/promises';

/** What MongoDB, and the embedded store like it, answers where a unique index refuses a document. */
export const duplicateKey = 11_000;

/** What MongoDB, and the embedded store like it, answers where an index that is to be dropped is not there, or its collection. */
export const indexNotFound = 27;
export const namespaceNotFound = 26;

/**
 * A MongoDB-compatible server over PostgreSQL answers this where writes of one unique key race. The document was not
 * written and may be tried again; in an `insertMany` the others were.
 */
export const deadlockDetected = 16_908_292;

/** Driver errors that are raised before anything of the operation was sent. */
const notSent = new Set([
	'MongoServerSelectionError',
	'MongooseServerSelectionError',
	'MongoWaitQueueTimeoutError',
	'MongoPoolClearedError',
	'MongoPoolClosedError',
	'MongoTopologyClosedError',
	'MongoNotConnectedError',
	'MongoClientClosedError',
	'StoreUnavailable',
]);

/** Errors after which nobody knows whether the store carried the operation out, or will. */
const lost = new Set([
	'MongoNetworkError',
	'MongoNetworkTimeoutError',
	'PoolClearedOnNetworkError',
	'MongoOperationTimeoutError',
	'MongoWriteConcernError',
	'SyncFailed',
	'WrittenInPart',
]);

/** The driver hands some errors of a socket through as they are. */
const socketErrors = new Set([
	...['ECONNRESET', 'EPIPE', 'ECONNABORTED', 'ETIMEDOUT', 'ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ENETDOWN'],
	...['ENOTFOUND', 'EAI_AGAIN', 'ERR_STREAM_DESTROYED', 'ERR_STREAM_WRITE_AFTER_END', 'ERR_SOCKET_CLOSED'],
]);

/** Server codes before any change: no primary, in recovery, a deadlock that does not end. */
const notBegun = new Set([10_107, 13_435, 13_436, deadlockDetected]);

/** Server codes after which the change may still be there: interrupted, timed out, write concern, disk full. */
const interrupted = new Set([6, 7, 50, 64, 89, 91, 100, 189, 262, 9_001, 11_600, 11_602, 14_031]);

/** An error within the server, such as a compatible one answers while the engine behind it is down. */
const internalError = 1;

interface DriverError {
	name?: string;
	code?: number | string;
	message?: string;
	writeErrors?: { index: number; code: number }[];
	result?: { insertedCount?: number; getWriteConcernError?(): unknown };
	/** The error that a MongoBulkWriteError wraps */
	errorResponse?: DriverError;
}

/** True where a unique index refused the write, or at least one document of an `insertMany`. */
export function isDuplicateKey(error: unknown): boolean {
	const { code, writeErrors } = asDriverError(error);
	if (code === duplicateKey || isExclusion(asDriverError(error))) return true;
	return writeErrors?.some((each) => each.code === duplicateKey) ?? false;
}

/**
 * Which documents of an `insertMany({ ordered: false })` were refused, each with its index in the array given and its
 * code; all others were written. Undefined where that is not known: then no document can be taken as written or refused.
 */
export function bulkWriteErrors(error: unknown): { index: number; code: number }[] | undefined {
	const { writeErrors, result } = asDriverError(error);
	if (!Array.isArray(writeErrors) || writeErrors.length === 0 || result?.getWriteConcernError?.()) return undefined;
	return writeErrors.map(({ index, code }) => ({ index, code }));
}

/**
 * True where the store could not be reached or cannot write now: disk full, connection lost, no server selected, timed
 * out. The caller answers 503. Whether a failed write may yet have happened is told by `mayStillLand`.
 */
export function isUnavailable(error: unknown): boolean {
	return causes(error).some(
		(cause) =>
			notSent.has(cause.name ?? '') ||
			notBegun.has(cause.code as number) ||
			isLost(cause) ||
			cause.message?.includes('before initial connection'),
	);
}

/** True where a write failed in a way that leaves open whether it happened, or still happens later. */
export function mayStillLand(error: unknown): boolean {
	return causes(error).some(isLost);
}

function isLost(cause: DriverError): boolean {
	if (lost.has(cause.name ?? '') || socketErrors.has(cause.code as string)) return true;
	if (interrupted.has(cause.code as number)) return true;
	if (cause.result?.getWriteConcernError?.()) return true; // its code is that of the first document that was refused
	return cause.code === internalError && !isDeadlock(cause) && !isExclusion(cause);
}

/**
 * Carries `write` out again where the server found a deadlock and wrote nothing. After five attempts, and where part of
 * an `insertMany` was written, the error is thrown.
 */
export async function retryDeadlock<T>(write: () => Promise<T>): Promise<T> {
	for (let attempt = 1; ; attempt++) {
		try {
			return await write();
		} catch (error) {
			if (attempt === 5 || !isFruitlessDeadlock(asDriverError(error))) throw error;
			await wait(Math.random() * 5 * attempt);
		}
	}
}

function isFruitlessDeadlock(error: DriverError): boolean {
	const { writeErrors = [], result } = error;
	if (!isDeadlock(error)) return false;
	return writeErrors.every((each) => each.code === deadlockDetected) && (result?.insertedCount ?? 0) === 0;
}

/** The compatible server names a deadlock of an index' creation by its text only. */
function isDeadlock({ code, message }: DriverError): boolean {
	return code === deadlockDetected || (code === internalError && message === 'deadlock detected');
}

/** The compatible server's `findOneAndUpdate` into a taken key. */
function isExclusion({ code, message }: DriverError): boolean {
	return code === internalError && (message?.includes('violates exclusion constraint') ?? false);
}

/** The error and what it wraps: an `insertMany` hides a network error in a `MongoBulkWriteError`. */
function causes(error: unknown): DriverError[] {
	const outer = asDriverError(error);
	return outer.errorResponse ? [outer, asDriverError(outer.errorResponse)] : [outer];
}

function asDriverError(error: unknown): DriverError {
	return typeof error === 'object' && error !== null ? (error as DriverError) : {};
}

/**
 * The store cannot take the operation now: the disk is full or fails, or the store is closed. Nothing of the operation that
 * failed was written. The caller answers 503.
 */
export class StoreUnavailable extends Error {
	override readonly name = 'StoreUnavailable';
}

/** The same, of a write of more than 100 documents whose first part is committed. */
export class WrittenInPart extends Error {
	override readonly name = 'WrittenInPart';
}
