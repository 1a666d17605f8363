import { mongo } from 'mongoose';
import { indexNotFound } from '../write-errors.ts';
import { Columns, type FieldChange, type Layout } from './columns.ts';
import { type Database, type SqlRow, type SqlValue, takenColumns } from './database.ts';
import { addMissing, bringForward, createIndexSql, insertSql, shapeIn } from './layout.ts';
import type { Document, Json } from './query/json-value.ts';
import type { Index, Shape } from './shape.ts';

const idIndex: Index = { name: '_id_', key: [['_id', 1]], unique: true };

/** A row that was read, as a document when somebody asks. */
export class Stored {
	/** As they were selected; the row's number is the last one */
	readonly values: readonly SqlValue[];
	/** What was selected */
	readonly layout: Layout;
	#document: Document | undefined;

	constructor(values: readonly SqlValue[], layout: Layout) {
		this.values = values;
		this.layout = layout;
	}

	get row(): number {
		return this.values.at(-1) as number;
	}

	get document(): Document {
		return this.decoded().#document!;
	}

	/** Becomes a document now, for that is a third of what it costs to read it. */
	decoded(): this {
		this.#document ??= this.layout.decode(this.values);
		return this;
	}
}

/** One collection: a table with a row for each document, see `Columns`. A change leaves the indexes of other fields alone. */
export class Table {
	readonly name: string;
	readonly database: Database;
	/** Reads of several steps that are under way */
	readonly watches = new Set<{ note(row: number): void }>();
	/** What was counted since the last write, by what was asked: see `count.ts` */
	readonly counted = new Map<string, number>();
	readonly #quoted: string;
	readonly #isTold: boolean;
	#indexes: readonly Index[] = [idIndex];
	#columns: Columns;
	#insert = '';

	/**
	 * @param shape of the collection's schema; undefined: what the table was made with
	 * @param isTold whether somebody may be told of a row alone: see `modelOf`
	 */
	constructor(database: Database, name: string, shape?: Shape, isTold = true) {
		this.#isTold = isTold;
		if (!/^[A-Za-z][\w.-]*$/.test(name) || /^sqlite_/i.test(name)) throw new Error(`${name} is no collection name`);
		this.database = database;
		this.name = name;
		this.#quoted = `"${name}"`;
		this.#columns = new Columns(name, shape ?? shapeIn(database, name));
		database.exec(`
			CREATE TABLE IF NOT EXISTS ${this.#quoted} (${this.#columns.definition});
			CREATE TABLE IF NOT EXISTS "slotwise.indexes"
				(collection TEXT NOT NULL, name TEXT NOT NULL, definition TEXT NOT NULL, PRIMARY KEY (collection, name));
		`);
		const sql = 'SELECT definition FROM "slotwise.indexes" WHERE collection = ? ORDER BY rowid';
		this.#know(...database.all(sql, name).map(([definition]) => JSON.parse(definition as string) as Index));
		bringForward(database, name, this.#columns, this.#indexes.slice(1));
	}

	/** `_id_` first, then in the order of creation. */
	get indexes(): readonly Index[] {
		return this.#indexes;
	}

	get columns(): Columns {
		return this.#columns;
	}

	/** The table with the one index that a query uses, as SQL. */
	source(index?: Index): string {
		// A look-up by the row's number goes by no index.
		if (!index || (index === idIndex && this.#columns.shape.isNumbered)) return `${this.#quoted} NOT INDEXED`;
		const name = index === idIndex ? `sqlite_autoindex_${this.name}_1` : `${this.name}.${index.name}`;
		return `${this.#quoted} INDEXED BY "${name}"`;
	}

	/** Does nothing where the index is there; refuses one of the same name that is another. */
	createIndex(index: Index): void {
		const definition = JSON.stringify(index);
		const known = this.#indexes.find(({ name }) => name === index.name);
		if (known) {
			if (JSON.stringify(known) === definition) return;
			throw new mongo.MongoServerError({ message: `index ${index.name} exists and is another one`, code: 86 });
		}
		const { indexes, columns: before } = this;
		this.#know(index);
		try {
			if (this.#columns.names.length > before.names.length) this.#fillColumns();
			this.#refusing(() => this.database.exec(createIndexSql(this.name, this.#columns, index)));
			this.database.run('INSERT INTO "slotwise.indexes" VALUES (?, ?, ?)', this.name, index.name, definition);
		} catch (error) {
			this.#indexes = [];
			this.#know(...indexes);
			throw error;
		}
	}

	/** @throws MongoServerError with code 27 where it is not there */
	dropIndex(name: string): void {
		const rest = this.#indexes.filter((index) => index.name !== name);
		if (rest.length === this.#indexes.length) {
			throw new mongo.MongoServerError({ message: `index not found with name [${name}]`, code: indexNotFound });
		}
		this.database.exec(`DROP INDEX "${this.name}.${name}"`);
		this.database.run('DELETE FROM "slotwise.indexes" WHERE collection = ? AND name = ?', this.name, name);
		this.#indexes = [];
		this.#know(...rest);
	}

	/** @throws MongoServerError with code 11000 and the index' name; TypeError where a field cannot be kept or indexed */
	insert(document: Document): void {
		const row = this.#columns.encode(document);
		this.#note(this.#columns.accountOf(row));
		this.#refusing(() => this.database.run(this.#insert, ...row));
		if (this.watches.size > 0) this.#tellWatches(this.database.get('SELECT last_insert_rowid()')![0] as number);
	}

	/**
	 * Writes a changed document, and of its columns those that changed: SQLite leaves the indexes of all others alone.
	 * @param stored read whole
	 * @returns whether any did
	 * @throws MongoServerError with code 11000 and the index' name
	 */
	update(stored: Stored, document: Document): boolean {
		const after = this.#columns.encode(document);
		const { values } = stored;
		return this.#write(
			stored,
			this.#columns.names.map((column, at) => ({ column, before: values[at]!, after: after[at]! })),
		);
	}

	/**
	 * Sets whole fields, without a look at the others.
	 * @param stored of which at least these fields were read, and its account
	 * @returns whether any changed; undefined where it takes an `update`
	 */
	set(stored: Stored, fields: ReadonlyMap<string, Json>): boolean | undefined {
		const changes: FieldChange[] = [];
		for (const [name, value] of fields) {
			const change = stored.layout.change(stored.values, name, value);
			if (change === undefined) return undefined;
			changes.push(change);
		}
		return this.#write(stored, changes);
	}

	delete({ row, values }: Stored): void {
		this.#note(this.#columns.accountOf(values));
		this.#tellWatches(row);
		this.database.run(`DELETE FROM ${this.#quoted} WHERE rowid = ?`, row);
	}

	/** The document of a row; undefined where it was deleted. */
	read(row: number): Stored | undefined {
		const found = this.database.get(`SELECT ${this.#columns.list}, rowid FROM ${this.#quoted} WHERE rowid = ?`, row);
		return found && this.stored(found);
	}

	/** @param row the values of `columns.names`, then its number */
	stored(row: SqlRow): Stored {
		return new Stored(row, this.#columns);
	}

	#write({ row, values: read, layout }: Stored, changes: FieldChange[]): boolean {
		let set = '';
		const values: SqlValue[] = [];
		for (const { column, before, after } of changes) {
			if (isSame(after, before)) continue;
			set += `${set === '' ? '' : ', '}${column} = ?`;
			values.push(after);
		}
		if (values.length === 0) return false;
		this.#note(layout.accountOf(read));
		this.#tellWatches(row);
		this.#refusing(() => this.database.run(`UPDATE ${this.#quoted} SET ${set} WHERE rowid = ?`, ...values, row));
		return true;
	}

	#tellWatches(row: number): void {
		for (const watch of this.watches) watch.note(row);
	}

	/** A document stays its account's. */
	#note(account: string | undefined): void {
		if (this.counted.size > 0) this.counted.clear();
		if (this.#isTold) this.database.changes(account);
	}

	#know(...added: Index[]): void {
		this.#indexes = [...this.#indexes, ...added];
		const pathsOf = ({ key }: Index) => key.map(([path]) => path);
		// One that is partial by a path has no entry where nothing is there.
		const unique = this.#indexes
			.filter((each) => each.unique && each !== idIndex)
			.flatMap((each) => pathsOf(each).filter((path) => path !== each.part?.path));
		this.#columns = new Columns(this.name, this.#columns.shape, this.#indexes.flatMap(pathsOf), unique);
		this.#insert = insertSql(this.name, this.#columns);
	}

	/** Fills the columns that a new index needs. @throws TypeError where a document does not allow it */
	#fillColumns(): void {
		addMissing(this.database, this.name, this.#columns);
		for (const page of this.#pages()) for (const stored of page) this.update(stored, stored.document);
	}

	/** All rows, some at a time. */
	*#pages(): Generator<Stored[]> {
		const sql = `SELECT ${this.#columns.list}, rowid FROM ${this.#quoted} WHERE rowid > ? ORDER BY rowid LIMIT ${PAGE}`;
		for (let last = 0; ; ) {
			const page = this.database.all(sql, last).map((row) => this.stored(row));
			if (page.length === 0) return;
			yield page;
			last = page.at(-1)!.row;
		}
	}

	#refusing(act: () => void): void {
		try {
			act();
		} catch (error) {
			const taken = takenColumns(error);
			if (taken === undefined) throw error;
			throw this.#duplicateKey(taken);
		}
	}

	/** Worded as MongoDB does, but for the value, which may be personal data. */
	#duplicateKey(taken: string): Error {
		const columnOf = (path: string) => `${this.name}.${this.#columns.nameOf(path).replaceAll('"', '')}`;
		const index = this.#indexes.find(
			({ unique, key }) => unique && key.map(([path]) => columnOf(path)).join(', ') === taken,
		);
		return new mongo.MongoServerError({
			message: `E11000 duplicate key error collection: ${this.name} index: ${index?.name ?? taken}`,
			code: 11_000,
			keyPattern: Object.fromEntries(index?.key ?? []),
		});
	}
}

/** Rows that are read at once where all are */
const PAGE = 1_000;

function isSame(left: SqlValue, right: SqlValue): boolean {
	return (
		left === right ||
		(typeof left === 'object' &&
			typeof right === 'object' &&
			left?.[0] === right?.[0] &&
			left !== null &&
			right !== null)
	);
}
