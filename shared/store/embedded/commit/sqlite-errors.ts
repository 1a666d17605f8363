import { StoreUnavailable } from '../../write-errors.ts';

/** Result codes of SQLite, https://sqlite.org/rescode.html */
const busy = 5;
const uniqueConstraint = 2067;
const primaryKeyConstraint = 1555;

/** NOMEM, READONLY, INTERRUPT, IOERR, CORRUPT, FULL, CANTOPEN: the disk or the machine, not the statement. */
const environment = new Set([7, 8, 9, 10, 11, 13, 14]);

/** `errcode` of an error of `node:sqlite`; undefined for any other error. */
function resultCode(error: unknown): number | undefined {
	const code = (error as { errcode?: unknown } | null)?.errcode;
	return typeof code === 'number' ? code : undefined;
}

/** True where another connection holds the database file. */
export function isBusy(error: unknown): boolean {
	return ((resultCode(error) ?? 0) & 0xff) === busy;
}

/** The name of the index that refused a document, in SQL; undefined where the error is another one. */
export function brokenIndex(error: unknown): string | undefined {
	const code = resultCode(error);
	if (code === primaryKeyConstraint) return '_id_';
	if (code !== uniqueConstraint) return undefined;
	return /index '(.+)'/.exec((error as Error).message)?.[1];
}

/** Errors of disk and machine, and of a closed store, become `StoreUnavailable`; every other one stays what it is. */
export function asStoreError(error: unknown): unknown {
	const code = resultCode(error);
	if ((error as { code?: unknown } | null)?.code === 'ERR_INVALID_STATE') {
		return new StoreUnavailable('the embedded store was closed', { cause: error });
	}
	if (code === undefined || !environment.has(code & 0xff)) return error;
	return new StoreUnavailable(`the embedded store cannot write: ${(error as Error).message}`, { cause: error });
}
