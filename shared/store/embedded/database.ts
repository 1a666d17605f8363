import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { StoreTooNew } from '../format/format.ts';
import { StoreUnavailable } from '../write-errors.ts';
import { LogSync, syncDirectory } from './commit/log-sync.ts';
import { overwriteUnused } from './commit/unused-space.ts';
import { copyDatabase } from './copy-database.ts';
import { openBackup } from './open-backup.ts';

/** What is bound to a statement. A boolean is a blob of one byte, so that it equals no number: see `table.ts`. */
export type SqlValue = string | number | null | Uint8Array;
export type SqlRow = SqlValue[];

/** Another process, or this one, has the store open. */
export class DataDirInUse extends Error {
	override readonly name = 'DataDirInUse';

	constructor(dataDir: string) {
		super(`DATA_DIR ${dataDir} is in use by another process`);
	}
}

/** Name of the database file in `DATA_DIR`; SQLite keeps `-wal` beside it. */
export const databaseFile = 'slotwise.db';

/**
 * Of the file: 1 and 2 had each document as text, 3 has a column for each field. Tables are brought forward as they are
 * opened. Before 5, what was removed stayed in the file until something took its place: such a file is written anew once.
 */
export const formatVersion = 5;
const WITHOUT_REMAINS = 5;

/** KiB of the file's pages that are kept in memory while it serves */
const CACHE = 65_536;

/**
 * `journal_size_limit` in bytes: 64 MiB. The log is moved into the file every 4,000 pages of
 * 4 KiB; SQLite's 1,000 would write the pages of the indexes, which nearly every commit touches, four times as often.
 */
const settings = `
	PRAGMA locking_mode = EXCLUSIVE;
	PRAGMA journal_mode = WAL;
	PRAGMA synchronous = NORMAL;
	PRAGMA temp_store = MEMORY;
	PRAGMA secure_delete = ON;
	PRAGMA journal_size_limit = 67108864;
	PRAGMA wal_autocheckpoint = 4000;
`;

/**
 * The file, its settings, and a cache of prepared statements.
 *
 * A commit is in the log (WAL) when it returns, and on the disk when `durable` says so, those of an earlier process when the
 * constructor returns; a file that was cut or whose process was killed opens with every commit that was complete. With
 * `synchronous=NORMAL` SQLite itself waits for the disk where it moves the log into the file: log first, then file.
 * `locking_mode=EXCLUSIVE` takes a lock of the operating system, which ends with the process.
 */
export class Database {
	readonly #sqlite: DatabaseSync;
	readonly #log: LogSync;
	/** Of the file. It is closed after the database: whoever closes a file gives up the locks that the process has on it. */
	readonly #file: number;
	/** Statements not in use, by their text. One that is being stepped through is taken out, so a twin may be made. */
	readonly #idle = new Map<string, StatementSync[]>();
	/** Accounts of which the present transaction changed documents, undefined for those of none */
	readonly #changed = new Set<string | undefined>();

	/** @param cache KiB @throws DataDirInUse; @throws ForeignLog; @throws SyncFailed where the disk does not take what the log holds */
	constructor(dataDir: string, cache = CACHE) {
		const made = mkdirSync(dataDir, { recursive: true, mode: 0o700 });
		openBackup(dataDir, databaseFile);
		const file = join(dataDir, databaseFile);
		closeSync(openSync(file, 'a', 0o600)); // SQLite gives its log the same mode
		this.#file = openSync(file, 'r+');
		this.#sqlite = new DatabaseSync(file);
		try {
			this.#sqlite.exec(`${settings} PRAGMA cache_size = -${cache};`);
			this.#sqlite.exec('BEGIN IMMEDIATE; COMMIT');
			if (this.get('PRAGMA journal_mode')?.[0] !== 'wal')
				throw new Error(`DATA_DIR ${dataDir} cannot hold a log (WAL)`);
			this.#checkFormat(dataDir);
			this.#log = new LogSync(`${file}-wal`); // only now: until the lock is ours, another process may write it
			if (made !== undefined) syncDirectory(dirname(made));
			syncDirectory(dataDir); // it has the log's name, without which its bytes are lost
		} catch (error) {
			this.#sqlite.close();
			closeSync(this.#file);
			throw isBusy(error) ? new DataDirInUse(dataDir) : error;
		}
	}

	/** False before BEGIN, after COMMIT, and where an error rolled the transaction back by itself. */
	get inTransaction(): boolean {
		return this.#sqlite.isTransaction;
	}

	/** @throws StoreUnavailable where the disk failed before */
	begin(): void {
		this.#log.assertSound();
		this.#changed.clear();
		this.exec('BEGIN IMMEDIATE');
	}

	/** Others see the changes from now on, but nobody may tell of them before they are `durable`. */
	commit(): void {
		this.exec('COMMIT');
		this.#log.committed(this.#changed);
	}

	/** Notes that the transaction changes a document of an account, or of none. */
	changes(account: string | undefined): void {
		this.#changed.add(account);
	}

	/**
	 * What to wait for until all that was committed is on the disk; undefined where it is.
	 * @param accounts whose commits matter, undefined for those to documents of none; without: everybody's
	 * @throws StoreUnavailable
	 */
	durable(accounts?: readonly (string | undefined)[]): Promise<void> | undefined {
		return this.#log.durable(accounts);
	}

	/** @throws StoreUnavailable where the disk failed before */
	assertSound(): void {
		this.#log.assertSound();
	}

	/** Runs statements that are not worth keeping. */
	exec(sql: string): void {
		converting(() => this.#sqlite.exec(sql));
	}

	/** Runs a statement that answers no rows. @returns the rows changed */
	run(sql: string, ...values: SqlValue[]): number {
		return this.#use(sql, (statement) => Number(statement.run(...values).changes));
	}

	get(sql: string, ...values: SqlValue[]): SqlRow | undefined {
		return this.#use(sql, (statement) => statement.get(...values) as unknown as SqlRow | undefined);
	}

	all(sql: string, ...values: SqlValue[]): SqlRow[] {
		return this.#use(sql, (statement) => statement.all(...values) as unknown as SqlRow[]);
	}

	/**
	 * Steps through a statement's rows; the caller may write, commit and come back between two steps. A row that nobody
	 * changes is met exactly once; one that moves in the index meanwhile may be met twice or not at all, as on MongoDB.
	 */
	*iterate(sql: string, ...values: SqlValue[]): Generator<SqlRow, void> {
		const statement = this.#take(sql);
		try {
			// Left early, it is closed: one that stays open would keep the log from being emptied.
			for (const row of statement.iterate(...values)) yield row as unknown as SqlRow;
		} catch (error) {
			throw asStoreError(error);
		} finally {
			this.#giveBack(sql, statement);
		}
	}

	/** Copies it as it is at one moment, while others write: see `copyDatabase`. */
	copyTo(file: string): Promise<void> {
		return copyDatabase(this.#sqlite, file);
	}

	/**
	 * Moves the whole log into the file, and cuts it to nothing: else pages as they were before stay in it until others
	 * take their place.
	 * @returns false where somebody reads or writes
	 */
	emptyLog(): boolean {
		this.#log.assertSound();
		if (this.inTransaction) return false;
		try {
			return this.get('PRAGMA wal_checkpoint(TRUNCATE)')?.[0] === 0;
		} catch (error) {
			if (isBusy(error) || resultCode(error) === locked) return false;
			throw error;
		}
	}

	/**
	 * Overwrites what pages hold beside their rows, where the log is empty; without a turn of the event loop in between, or
	 * pages that are in memory could come back as they were.
	 * @returns the page to go on with; undefined at the end
	 */
	overwriteUnused(first: number, count: number): number | undefined {
		const [pageSize] = this.get('PRAGMA page_size') as [number];
		const next = overwriteUnused(this.#file, pageSize, first, count);
		this.exec('PRAGMA shrink_memory');
		return next;
	}

	/** Resolves when no wait for the disk is under way, whatever came of it. */
	async settled(): Promise<void> {
		try {
			await this.#log.durable();
		} catch {
			// Those who waited were told.
		}
	}

	close(): void {
		this.#idle.clear();
		this.#log.settle();
		this.#sqlite.close();
		closeSync(this.#file);
		this.#log.close();
	}

	#use<T>(sql: string, act: (statement: StatementSync) => T): T {
		const statement = this.#take(sql);
		try {
			return converting(() => act(statement));
		} finally {
			this.#giveBack(sql, statement);
		}
	}

	#take(sql: string): StatementSync {
		const idle = this.#idle.get(sql)?.pop();
		if (idle) return idle;
		const statement = this.#sqlite.prepare(sql);
		statement.setReturnArrays(true);
		return statement;
	}

	#giveBack(sql: string, statement: StatementSync): void {
		const idle = this.#idle.get(sql);
		if (idle) idle.push(statement);
		else this.#idle.set(sql, [statement]);
	}

	#checkFormat(dataDir: string): void {
		const format = Number(this.get('PRAGMA user_version')?.[0]); // 0 of a new file
		if (format > formatVersion) {
			throw new StoreTooNew(`DATA_DIR ${dataDir} was written by a later version of Slotwise.`);
		}
		if (format > 0 && format < WITHOUT_REMAINS) this.#writeAnew();
		if (format < formatVersion) this.exec(`PRAGMA user_version = ${formatVersion}`);
	}

	/** What was removed before leaves the file. Its copy is not held in memory, however large it is. */
	#writeAnew(): void {
		this.exec('PRAGMA temp_store = FILE');
		this.exec('VACUUM');
		this.exec('PRAGMA temp_store = MEMORY');
		this.get('PRAGMA wal_checkpoint(TRUNCATE)');
	}
}

function converting<T>(act: () => T): T {
	try {
		return act();
	} catch (error) {
		throw asStoreError(error);
	}
}

/** Result codes of SQLite, https://sqlite.org/rescode.html */
const busy = 5;
const locked = 6;
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

/** The columns of the unique index that refused a row, as `table.column, …`; undefined where the error is another one. */
export function takenColumns(error: unknown): string | undefined {
	const code = resultCode(error);
	if (code !== uniqueConstraint && code !== primaryKeyConstraint) return undefined;
	return /UNIQUE constraint failed: (.+)$/.exec((error as Error).message)?.[1];
}

/** Errors of disk and machine, and of a closed store, become `StoreUnavailable`; every other one stays what it is. */
function asStoreError(error: unknown): unknown {
	const code = resultCode(error);
	if ((error as { code?: unknown } | null)?.code === 'ERR_INVALID_STATE') {
		return new StoreUnavailable('the embedded store was closed', { cause: error });
	}
	if (code === undefined || !environment.has(code & 0xff)) return error;
	return new StoreUnavailable(`the embedded store cannot write: ${(error as Error).message}`, { cause: error });
}
