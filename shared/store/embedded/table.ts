import { mongo } from 'mongoose';
import { brokenIndex, type Database, type SqlRow, type SqlValue } from './database.ts';
import { type Document, type Json, type JsonObject, valueAt } from './query/json-value.ts';

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

/** One collection: a table of `_id` and the document as JSON text, and its indexes on expressions over that text. */
export class Table {
	readonly name: string;
	readonly database: Database;
	readonly #quoted: string;
	#indexes: Index[] = [idIndex];
	#paths: string[] = [];
	#uniquePaths: string[] = [];

	constructor(database: Database, name: string) {
		if (!/^[A-Za-z][\w.-]*$/.test(name) || /^sqlite_/i.test(name)) throw new Error(`${name} is no collection name`);
		this.database = database;
		this.name = name;
		this.#quoted = `"${name}"`;
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
		this.#refuseArrays(index);
		const columns = index.key.map(([path, direction]) => `${columnOf(path)} ${direction === 1 ? 'ASC' : 'DESC'}`);
		const unique = index.unique ? 'UNIQUE' : '';
		this.#refusing(() =>
			this.database.exec(`CREATE ${unique} INDEX "${this.name}.${index.name}" ON ${this.#quoted} (${columns})`),
		);
		this.database.run('INSERT INTO "slotwise.indexes" VALUES (?, ?, ?)', this.name, index.name, definition);
		this.#know(index);
	}

	/** @throws MongoServerError with code 11000 and the index' name */
	insert(document: Document): void {
		const { _id } = document;
		if (typeof _id !== 'number' && typeof _id !== 'string') {
			throw new TypeError(`${this.name}: _id is neither a number nor a string`);
		}
		this.#assertIndexable(document);
		this.#note(document);
		this.#refusing(() => this.database.run(`INSERT INTO ${this.#quoted} VALUES (?, ?)`, _id, JSON.stringify(document)));
	}

	/** @throws MongoServerError with code 11000 and the index' name */
	update(row: number, document: Document, text: string): void {
		this.#assertIndexable(document);
		this.#note(document);
		this.#refusing(() => this.database.run(`UPDATE ${this.#quoted} SET doc = ? WHERE rowid = ?`, text, row));
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

	#know(index: Index): void {
		this.#indexes.push(index);
		const paths = new Set([...this.#paths, ...index.key.map(([path]) => path)]);
		paths.delete('_id');
		this.#paths = [...paths];
		const unique = this.#indexes.filter((each) => each.unique).flatMap(({ key }) => key.map(([path]) => path));
		this.#uniquePaths = [...new Set(unique)];
	}

	/**
	 * MongoDB makes an index entry for each element of an array; ours have one entry a document. And its unique indexes
	 * take null once, ours any number of times.
	 */
	#assertIndexable(document: Document): void {
		for (const path of this.#paths) {
			if (!isScalarAt(document, path)) throw new TypeError(`${this.name}: ${path} is indexed and must be a scalar`);
		}
		for (const path of this.#uniquePaths) {
			if ((valueAt(document, path) ?? null) === null)
				throw new TypeError(`${this.name}: ${path} is unique and must be set`);
		}
	}

	#refuseArrays(index: Index): void {
		for (const [text] of this.database.iterate(`SELECT doc FROM ${this.#quoted}`)) {
			const document = JSON.parse(text as string) as Document;
			const path = index.key.find(([each]) => !isScalarAt(document, each))?.[0];
			if (path) throw new TypeError(`${this.name}: ${path} cannot be indexed, it holds an array or object`);
		}
	}

	#refusing(act: () => void): void {
		try {
			act();
		} catch (error) {
			const broken = brokenIndex(error);
			if (broken === undefined) throw error;
			throw this.#duplicateKey(broken.replace(`${this.name}.`, ''));
		}
	}

	/** Worded as MongoDB does, but for the value, which may be personal data. */
	#duplicateKey(name: string): Error {
		const index = this.#indexes.find((each) => each.name === name);
		return new mongo.MongoServerError({
			message: `E11000 duplicate key error collection: ${this.name} index: ${name}`,
			code: 11_000,
			keyPattern: Object.fromEntries(index?.key ?? []),
		});
	}
}

export function stored(row: SqlRow): Stored {
	const text = row[1] as string;
	return { row: row[0] as number, document: JSON.parse(text) as Document, text };
}

const columns = new Map([['_id', '_id']]);

/**
 * The value at a path, as the SQL expression that indexes are made of. MongoDB's `true` is not 1, so booleans become blobs,
 * which also sort after numbers and strings. A missing field is NULL, and so is null: a filter on null means both.
 */
export function columnOf(path: string): string {
	const known = columns.get(path);
	if (known) return known;
	if (!/^[A-Za-z_]\w*(\.[A-Za-z_]\w*)*$/.test(path)) throw new Error(`${path} cannot be indexed`);
	const at = `'$.${path}'`;
	const column = `CASE json_type(doc,${at}) WHEN 'true' THEN x'01' WHEN 'false' THEN x'00' ELSE json_extract(doc,${at}) END`;
	columns.set(path, column);
	return column;
}

/** A scalar as it is compared with `columnOf`. */
export function bound(value: null | boolean | number | string): SqlValue {
	return typeof value === 'boolean' ? Uint8Array.of(value ? 1 : 0) : value;
}

function isScalarAt(document: JsonObject, path: string): boolean {
	let value: Json | undefined = document;
	for (const key of path.split('.')) {
		if (typeof value !== 'object' || value === null) return true;
		if (Array.isArray(value)) return false;
		value = value[key];
	}
	return typeof value !== 'object' || value === null;
}
