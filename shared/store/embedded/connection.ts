import { setTimeout as delay } from 'node:timers/promises';
import MongooseConnection from 'mongoose/lib/connection.js';
import { isUntold } from '../../work/untold.ts';
import { StoreUnavailable } from '../write-errors.ts';
import { GroupCommit, type Write } from './commit/group-commit.ts';
import { Database } from './database.ts';
import { type SchemaPaths, shapeOf } from './shape.ts';
import { Table } from './table.ts';

/** ms for the log to be emptied: its readers step through rows, and leave the event loop in between */
const EMPTIED_WITHIN = 5_000;
const RETRY_EVERY = 10; // ms
/** Pages that are looked through before the event loop gets its turn: 8 MiB, some milliseconds */
const PAGES_A_TURN = 2_048;

/** A mongoose connection to the database file of a `DATA_DIR`. */
export class EmbeddedConnection extends MongooseConnection {
	#database: Database | undefined;
	#commits: GroupCommit | undefined;
	#pass: Promise<void> | undefined;
	#nextPass: Promise<void> | undefined;
	readonly #tables = new Map<string, { table: Table; schema: SchemaPaths | undefined }>();

	/**
	 * @param cache KiB of the file that are kept in memory
	 * @throws DataDirInUse
	 */
	async openUri(dataDir: string, cache?: number): Promise<this> {
		this.#database = new Database(dataDir, cache);
		// What a table knows of its indexes may be what was just rolled back: it is read anew.
		this.#commits = new GroupCommit(this.#database, () => this.#tables.clear());
		this.name = 'slotwise';
		this.host = 'localhost';
		this.$initialConnection = Promise.resolve(this);
		this._hasOpened = true;
		this.onOpen();
		return this;
	}

	async createCollection(name: string): Promise<unknown> {
		this.openTable(name);
		return this.collection(name);
	}

	/** The collection's table, made when it is missing; opened anew as soon as the collection has a model. */
	openTable(name: string): Table {
		const known = this.#tables.get(name);
		if (known?.schema !== undefined) return known.table;
		const schema = Object.values(this.models).find(({ collection }) => collection.name === name)?.schema;
		if (known !== undefined && schema === undefined) return known.table;
		const isTold = schema?.get('isTold' as never) !== (false as never);
		const table = new Table(this.#opened(), name, schema && shapeOf(schema), isTold);
		this.#tables.set(name, { table, schema });
		return table;
	}

	/** Runs a write in the next transaction; resolves when it is on the disk, `untold` work's when it is committed. */
	write<T>(write: Write<T>): Promise<T> {
		this.#opened();
		return this.#commits!.run(write);
	}

	/**
	 * What a reader waits for before it tells of what it read; undefined where all of it is on the disk. Who writes all the
	 * time so makes others wait for the disk no more than they would without him.
	 * @param accounts whose documents alone it could find, undefined for those of none; without: anybody's
	 * @throws StoreUnavailable
	 */
	durable(accounts?: readonly (string | undefined)[]): Promise<void> | undefined {
		return this.#opened().durable(accounts);
	}

	/** The same for one statement: `untold` work waits later, all at once. */
	told(accounts?: readonly string[]): Promise<void> | undefined {
		if (!isUntold()) return this.durable(accounts);
		this.#opened().assertSound();
		return undefined;
	}

	/** Copies the database as it is at one moment into an empty file, while others write. */
	copyTo(file: string): Promise<void> {
		return this.#opened().copyTo(file);
	}

	/**
	 * What was removed or overwritten leaves the files: the log, and the room between rows. One pass over the file at a time; whoever
	 * asks during one waits for the next, which serves all of them.
	 * @throws StoreUnavailable
	 */
	leaveNoTraces(): Promise<void> {
		if (this.#nextPass !== undefined) return this.#nextPass;
		const before = this.#pass;
		const pass = (async () => {
			await before?.catch(() => {});
			this.#nextPass = undefined;
			await this.#passOver();
		})();
		this.#pass = pass;
		if (before !== undefined) this.#nextPass = pass;
		return pass.finally(() => {
			if (this.#pass === pass) this.#pass = undefined;
		});
	}

	/** It takes a fifth of the time, so that requests have the rest. */
	async #passOver(): Promise<void> {
		for (let page: number | undefined = 1; page !== undefined; ) {
			const began = performance.now();
			const from: number = page;
			page = await this.#withEmptyLog((database) => database.overwriteUnused(from, PAGES_A_TURN));
			if (page !== undefined) await delay(4 * (performance.now() - began));
		}
		await this.#withEmptyLog(() => {});
	}

	/** Readers are waited for. What is done with the log empty is done at once. */
	async #withEmptyLog<T>(act: (database: Database) => T): Promise<T> {
		for (const end = performance.now() + EMPTIED_WITHIN; ; await delay(RETRY_EVERY)) {
			const database = this.#opened();
			if (database.emptyLog()) return act(database);
			if (performance.now() > end) throw new StoreUnavailable('the log of the embedded store is being read');
		}
	}

	/** Rejects where the file cannot be read, or could not be written. */
	async ping(): Promise<void> {
		this.#opened().get('SELECT count(*) FROM sqlite_master');
		await this.durable();
	}

	async doClose(): Promise<this> {
		await this.#commits?.close();
		await this.#database?.settled();
		this.#database?.close();
		this.#database = undefined;
		this.#tables.clear();
		return this;
	}

	#opened(): Database {
		if (!this.#database) throw new StoreUnavailable('the embedded store is closed');
		return this.#database;
	}
}
