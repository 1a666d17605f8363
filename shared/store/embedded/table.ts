import { mongo } from 'mongoose';
import { indexNotFound } from '../write-errors.ts';
import { type Database, type SqlRow, type SqlValue, takenColumns } from './database.ts';
import type { Scalar } from './query/bounds.ts';
import type { Document, Json, JsonObject } from './query/json-value.ts';

/** An index as `listIndexes` tells it. */
export interface Index {
	readonly name: string;
	/** Path and direction of each column, in order */
	readonly key: readonly (readonly [string, 1 | -1])[];
	readonly unique: boolean;
}

const idIndex: Index = { name: '_id_', key: [['_id', 1]], unique: true };

/** A document with the row that it is kept in. */
export interface Stored {
	readonly row: number;
	readonly document: Document;
	readonly text: string;
}

/**
 * One collection: a table of `_id`, the document as JSON text, and a column for each field that an index is about. A change
 * of other fields leaves the indexes alone.
 */
export class Table {
	readonly name: string;
	readonly database: Database;
	readonly #quoted: string;
	#indexes: readonly Index[] = [idIndex];
	#columns: { path: string; keys: string[]; unique: boolean }[] = [];
	#insert = '';

	constructor(database: Database, name: string) {
		if (!/^[A-Za-z][\w.-]*$/.test(name) || /^sqlite_/i.test(name)) throw new Error(`${name} is no collection name`);
		this.database = database;
		this.name = name;
		this.#quoted = `"${name}"`;
		this.#know();
		database.exec(`
			CREATE TABLE IF NOT EXISTS ${this.#quoted} (_id NOT NULL PRIMARY KEY, doc TEXT NOT NULL);
			CREATE TABLE IF NOT EXISTS "slotwise.indexes"
				(collection TEXT NOT NULL, name TEXT NOT NULL, definition TEXT NOT NULL, PRIMARY KEY (collection, name));
		`);
		for (const [definition] of database.all(
			'SELECT definition FROM "slotwise.indexes" WHERE collection = ? ORDER BY rowid',
			name,
		)) {
			this.#know(JSON.parse(definition as string) as Index);
		}
	}

	/** `_id_` first, then in the order of creation. */
	get indexes(): readonly Index[] {
		return this.#indexes;
	}

	/** The table with the one index that a query uses, as SQL. */
	source(index?: Index): string {
		if (!index) return `${this.#quoted} NOT INDEXED`;
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
		const missing = index.key
			.map(([path]) => path)
			.filter((path) => path !== '_id' && !this.#columns.some((column) => column.path === path));
		addColumns(this.database, this.name, missing);
		this.#refusing(() => this.database.exec(createIndexSql(this.name, index)), index);
		this.database.run('INSERT INTO "slotwise.indexes" VALUES (?, ?, ?)', this.name, index.name, definition);
		this.#know(index);
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

	/** @throws MongoServerError with code 11000 and the index' name */
	insert(document: Document): void {
		const { _id } = document;
		if (typeof _id !== 'number' && typeof _id !== 'string') {
			throw new TypeError(`${this.name}: _id is neither a number nor a string`);
		}
		this.#assertIndexable(document);
		this.#note(document);
		this.#refusing(() => this.database.run(this.#insert, _id, JSON.stringify(document), ...this.indexed(document)));
	}

	/**
	 * Writes a changed document, and of its columns those that changed: SQLite leaves the indexes of all others alone.
	 * @param before what was indexed of it
	 * @throws MongoServerError with code 11000 and the index' name
	 */
	update(row: number, document: Document, text: string, before: readonly SqlValue[]): void {
		this.#assertIndexable(document);
		const after = this.indexed(document);
		const set = ['doc = ?'];
		const values: SqlValue[] = [text];
		for (const [at, { path }] of this.#columns.entries()) {
			if (after[at] === before[at]) continue;
			set.push(`${columnOf(path)} = ?`);
			values.push(after[at]!);
		}
		this.#note(document);
		this.#refusing(() => this.database.run(`UPDATE ${this.#quoted} SET ${set} WHERE rowid = ?`, ...values, row));
	}

	delete({ row, document }: Stored): void {
		this.#note(document);
		this.database.run(`DELETE FROM ${this.#quoted} WHERE rowid = ?`, row);
	}

	/** The document of a row; undefined where it was deleted. */
	read(row: number): Stored | undefined {
		const found = this.database.get(`SELECT rowid, doc FROM ${this.#quoted} WHERE rowid = ?`, row);
		return found && stored(found);
	}

	/** A document stays its account's. */
	#note({ account_id }: Document): void {
		if (typeof account_id === 'string') this.database.changes(account_id);
	}

	/** What the columns of a document hold. */
	indexed(document: Document): SqlValue[] {
		return this.#columns.map(({ keys }) => bound(scalarAt(document, keys) ?? null));
	}

	/**
	 * MongoDB makes an index entry for each element of an array; ours have one entry a document. And its unique indexes
	 * take null once, ours any number of times.
	 */
	#assertIndexable(document: Document): void {
		for (const { path, keys, unique } of this.#columns) {
			const value = scalarAt(document, keys);
			if (value === undefined) throw new TypeError(`${this.name}: ${path} is indexed and must be a scalar`);
			if (value === null && unique) throw new TypeError(`${this.name}: ${path} is unique and must be set`);
		}
	}

	#know(...added: Index[]): void {
		this.#indexes = [...this.#indexes, ...added];
		const paths = new Set(this.#indexes.flatMap(({ key }) => key.map(([path]) => path)));
		paths.delete('_id');
		const unique = new Set(this.#indexes.filter((each) => each.unique).flatMap(({ key }) => key.map(([path]) => path)));
		this.#columns = [...paths].map((path) => ({ path, keys: path.split('.'), unique: unique.has(path) }));
		const columns = ['_id', 'doc', ...[...paths].map(columnOf)];
		this.#insert = `INSERT INTO ${this.#quoted} (${columns}) VALUES (${columns.map(() => '?')})`;
	}

	/** @param making an index that is being made */
	#refusing(act: () => void, making?: Index): void {
		try {
			act();
		} catch (error) {
			const taken = takenColumns(error);
			if (taken === undefined) throw error;
			throw this.#duplicateKey(taken, making);
		}
	}

	/** Worded as MongoDB does, but for the value, which may be personal data. */
	#duplicateKey(columns: string, making: Index | undefined): Error {
		const index = [...this.#indexes, ...(making ? [making] : [])].find(
			({ unique, key }) => unique && key.map(([path]) => `${this.name}.${path}`).join(', ') === columns,
		);
		return new mongo.MongoServerError({
			message: `E11000 duplicate key error collection: ${this.name} index: ${index?.name ?? columns}`,
			code: 11_000,
			keyPattern: Object.fromEntries(index?.key ?? []),
		});
	}
}

export function stored(row: SqlRow): Stored {
	const text = row[1] as string;
	return { row: row[0] as number, document: JSON.parse(text) as Document, text };
}

/**
 * Gives a table columns for fields, filled from the documents that are there, all in one pass. A column that is there is filled
 * anew: nobody has written it since its last index was dropped.
 * @throws TypeError where a document has an array or an object in the way
 */
export function addColumns(database: Database, table: string, paths: string[]): void {
	if (paths.length === 0) return;
	const there = new Set(database.all('SELECT name FROM pragma_table_info(?)', table).flat());
	for (const path of paths) {
		const keys = path.split('.');
		const inTheWay = keys.map((_, at) => {
			const kinds = at < keys.length - 1 ? "= 'array'" : "IN ('array', 'object')";
			return `json_type(doc, '$.${keys.slice(0, at + 1).join('.')}') ${kinds}`;
		});
		if (database.get(`SELECT 1 FROM "${table}" WHERE ${inTheWay.join(' OR ')} LIMIT 1`)) {
			throw new TypeError(`${table}: ${path} cannot be indexed, it holds an array or object`);
		}
		if (!there.has(path)) database.exec(`ALTER TABLE "${table}" ADD COLUMN ${columnOf(path)}`);
	}
	const values = paths.map((path) => {
		const at = `'$.${path}'`;
		const cases = "WHEN 'true' THEN x'01' WHEN 'false' THEN x'00' WHEN 'integer' THEN CAST(";
		return `${columnOf(path)} = CASE json_type(doc, ${at}) ${cases}json_extract(doc, ${at}) AS REAL) ELSE json_extract(doc, ${at}) END`;
	});
	database.exec(`UPDATE "${table}" SET ${values}`);
}

export function createIndexSql(table: string, { name, key, unique }: Index): string {
	const columns = key.map(([path, direction]) => `${columnOf(path)} ${direction === 1 ? 'ASC' : 'DESC'}`);
	return `CREATE ${unique ? 'UNIQUE' : ''} INDEX "${table}.${name}" ON "${table}" (${columns})`;
}

/** Names that a table has already */
const RESERVED = ['doc', 'rowid', 'oid', '_rowid_'];

/** The column of an indexed field, in SQL. A missing field is NULL, and so is null: a filter on null means both. */
export function columnOf(path: string): string {
	const known = columns.get(path);
	if (known) return known;
	if (!/^[A-Za-z_]\w*(\.[A-Za-z_]\w*)*$/.test(path) || RESERVED.includes(path.toLowerCase())) {
		throw new Error(`${path} cannot be indexed`);
	}
	const column = `"${path}"`;
	columns.set(path, column);
	return column;
}

const columns = new Map([['_id', '_id']]);
/** MongoDB's `true` is not 1, so booleans become blobs, which also sort after numbers and strings. */
const [no, yes] = [Uint8Array.of(0), Uint8Array.of(1)];

/** A scalar as it is compared with `columnOf`. */
export function bound(value: Scalar): SqlValue {
	if (typeof value !== 'boolean') return value;
	return value ? yes : no;
}

/** The scalar at a path, null where nothing is there; undefined where an array or an object is in the way. */
function scalarAt(document: JsonObject, keys: readonly string[]): Scalar | undefined {
	let value: Json | undefined = document;
	for (const key of keys) {
		if (typeof value !== 'object' || value === null) return null;
		if (Array.isArray(value)) return undefined;
		value = Object.hasOwn(value, key) ? value[key] : null;
	}
	return typeof value === 'object' && value !== null ? undefined : (value ?? null);
}
