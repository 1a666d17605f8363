import type { SqlValue } from './database.ts';
import type { Scalar } from './query/bounds.ts';
import type { Document, Json, JsonObject } from './query/json-value.ts';
import { type Field, type Shape, typeOf } from './shape.ts';

/** JSON of the fields that the schema does not have; NULL where there are none. No field's name has a colon. */
export const OTHERS = ':others';
/** Names of the schema's fields that the document does not have, by commas: NULL in their columns alone would mean null */
const ABSENT = ':absent';

/** MongoDB's `true` is not 1, so booleans become blobs, which also sort after numbers and strings. */
const [no, yes] = [Uint8Array.of(0), Uint8Array.of(1)];

/** A field of a row that an update sets. */
export interface FieldChange {
	/** In SQL */
	readonly column: string;
	readonly before: SqlValue;
	readonly after: SqlValue;
}

/** What is read of a row, and in which order: all of it (`Columns`), or a part. */
export interface Layout {
	/** The values, as SELECT has them */
	readonly list: string;
	/** All that its documents have, where that is a part */
	readonly fields?: readonly string[];
	decode(row: readonly SqlValue[]): Document;
	/** @returns undefined where more than the field's column would change, or it was not read */
	change(row: readonly SqlValue[], name: string, value: Json): FieldChange | undefined;
	/** The account that a row is of; undefined where it has none, or none was read. */
	accountOf(row: readonly SqlValue[]): string | undefined;
}

/** A scalar as columns hold it. */
export function bound(value: Scalar): SqlValue {
	return typeof value === 'boolean' ? (value ? yes : no) : value;
}

/**
 * How documents of one collection become rows, and rows documents: `_id`, a column for each field of the schema, one for
 * all other fields, one that tells null from missing, and one for each indexed path that is not a scalar field itself, such
 * as `person.email`. An index has one entry a row; a missing field is NULL, and so is null: a filter on null means both.
 */
export class Columns implements Layout {
	readonly shape: Shape;
	/** In SQL, in the order of a row's values */
	readonly names: readonly string[];
	/** `names`, as SELECT has them */
	readonly list: string;
	readonly #collection: string;
	/** In a row, by field */
	readonly #positions: ReadonlyMap<string, number>;
	readonly #others: number;
	readonly #derived: readonly { path: string; keys: string[] }[];
	readonly #unique: ReadonlySet<string>;
	readonly #decode: Layout['decode'];
	readonly #absences = new Map<SqlValue, ReadonlySet<string>>();
	/** By the names that were wanted: queries have a few lists of them, the same each time */
	readonly #parts = new WeakMap<readonly string[], Layout>();

	/**
	 * @param indexed paths that indexes are about
	 * @param unique those of them that have to be set: MongoDB's unique indexes take null once, ours any number of times
	 */
	constructor(collection: string, shape: Shape, indexed: Iterable<string> = [], unique: Iterable<string> = []) {
		this.#collection = collection;
		const { fields } = shape;
		this.shape = shape;
		this.#positions = new Map(fields.map(({ name }, at) => [name, at + 1]));
		this.#others = fields.length + 1;
		this.#unique = new Set(unique);
		const scalars = new Set(fields.filter(({ kind }) => kind === 'scalar').map(({ name }) => name));
		const derived = [...new Set(indexed)].filter((path) => path !== '_id' && !scalars.has(path));
		this.#derived = derived.map((path) => ({ path, keys: path.split('.') }));
		this.names = [
			'_id',
			...fields.map(({ name }) => quoted(name)),
			quoted(OTHERS),
			quoted(ABSENT),
			...derived.map(derivedName),
		];
		this.list = this.names.join();
		this.#decode = this.#decoder(fields, this.#others + 1);
	}

	/** The columns as they are declared. A derived one follows as soon as an index asks for it. */
	get definition(): string {
		const fields = this.shape.fields.map((field) => `${quoted(field.name)}${typeOf(field)}`);
		const id = this.shape.isNumbered ? '_id INTEGER PRIMARY KEY' : '_id NOT NULL PRIMARY KEY';
		return [id, ...fields, `${quoted(OTHERS)} TEXT`, `${quoted(ABSENT)} TEXT`].join(', ');
	}

	/** The column of an indexed path or a scalar field, in SQL. */
	nameOf(path: string): string {
		if (path === '_id') return '_id';
		return this.isScalar(path) ? quoted(path) : derivedName(path);
	}

	/** Whether SQL can compare the field as MongoDB would, with no index on it. */
	isScalar(path: string): boolean {
		const position = this.#positions.get(path);
		return path === '_id' || (position !== undefined && this.shape.fields[position - 1]!.kind === 'scalar');
	}

	/** @throws TypeError where a field cannot be kept or indexed */
	encode(document: Document): SqlValue[] {
		const { _id } = document;
		if (typeof _id !== 'number' && typeof _id !== 'string')
			throw this.#refusal('_id', 'is neither a number nor a string');
		if (this.shape.isNumbered && !Number.isSafeInteger(_id)) throw this.#refusal('_id', 'is no integer');
		const row: SqlValue[] = [_id];
		let known = 1;
		let absent = '';
		for (const { name, kind } of this.shape.fields) {
			const value = Object.hasOwn(document, name) ? document[name] : undefined;
			if (value === undefined) absent += absent === '' ? name : `,${name}`;
			else known++;
			row.push(this.#encode(name, kind, value ?? null));
		}
		row.push(Object.keys(document).length === known ? null : JSON.stringify(this.#othersOf(document)));
		row.push(absent === '' ? null : absent);
		for (const { path, keys } of this.#derived) row.push(this.#derive(document, path, keys));
		return row;
	}

	/** @param row values in the order of `names` */
	decode(row: readonly SqlValue[]): Document {
		const document = this.#decode(row);
		const others = row[this.#others];
		return others === null ? document : Object.assign(document, JSON.parse(others as string));
	}

	change(row: readonly SqlValue[], name: string, value: Json): FieldChange | undefined {
		return this.#change(row, this.#positions.get(name), this.#absentOf(row), name, value);
	}

	/**
	 * Reads some fields of a row only.
	 * @returns undefined where one of them has no column
	 */
	part(wanted: readonly string[]): Layout | undefined {
		if (!wanted.every((name) => name === '_id' || this.#positions.has(name))) return undefined;
		let part = this.#parts.get(wanted);
		if (part === undefined) {
			part = this.#partOf(wanted);
			this.#parts.set(wanted, part);
		}
		return part;
	}

	#partOf(wanted: readonly string[]): Layout {
		const parts = this.shape.fields.filter(({ name }) => wanted.includes(name));
		// Of the id alone, every index has all that is asked.
		const absence = parts.length > 0 ? [quoted(ABSENT)] : [];
		const list = ['_id', ...parts.map(({ name }) => quoted(name)), ...absence].join();
		const absentOf = (row: readonly SqlValue[]) =>
			parts.length === 0 ? undefined : this.#absentIn(row[parts.length + 1]!);
		const positionOf = (name: string) => {
			const at = parts.findIndex((field) => field.name === name);
			return at < 0 ? undefined : at + 1;
		};
		const account = positionOf('account_id');
		return {
			list,
			fields: wanted,
			decode: this.#decoder(parts, parts.length + 1),
			change: (row, name, value) => this.#change(row, positionOf(name), absentOf(row), name, value),
			accountOf: (row) => accountAt(row, account),
		};
	}

	accountOf(row: readonly SqlValue[]): string | undefined {
		return accountAt(row, this.#positions.get('account_id'));
	}

	#change(
		row: readonly SqlValue[],
		position: number | undefined,
		absent: ReadonlySet<string> | undefined,
		name: string,
		value: Json,
	): FieldChange | undefined {
		if (position === undefined || absent?.has(name)) return undefined;
		if (this.#derived.some(({ keys }) => keys[0] === name)) return undefined;
		const { kind } = this.shape.fields[this.#positions.get(name)! - 1]!;
		return { column: quoted(name), before: row[position]!, after: this.#encode(name, kind, value) };
	}

	#encode(name: string, kind: Field['kind'], value: Json): SqlValue {
		if (value === null) {
			if (this.#unique.has(name)) throw this.#refusal(name, 'is unique and must be set');
			return null;
		}
		if (kind === 'json') return JSON.stringify(value);
		if (typeof value === 'object') throw this.#refusal(name, 'must be a scalar');
		return typeof value === 'number' ? value + 0 : bound(value); // of the two zeros, JSON has one
	}

	/** MongoDB makes an index entry for each element of an array; ours have one entry a document. */
	#derive(document: Document, path: string, keys: readonly string[]): SqlValue {
		const value = scalarAt(document, keys);
		if (value === undefined) throw this.#refusal(path, 'is indexed and must be a scalar');
		if (value === null && this.#unique.has(path)) throw this.#refusal(path, 'is unique and must be set');
		return bound(value);
	}

	#othersOf(document: Document): JsonObject {
		const others: JsonObject = {};
		for (const name in document) if (name !== '_id' && !this.#positions.has(name)) others[name] = document[name]!;
		return others;
	}

	#absentOf(row: readonly SqlValue[]): ReadonlySet<string> | undefined {
		return this.#absentIn(row[this.#others + 1]!);
	}

	/**
	 * @param fields in the order of their columns, which follow that of the id
	 * @param absence where a row tells which of them are absent
	 */
	#decoder(fields: readonly Field[], absence: number): Layout['decode'] {
		// By what is absent, a document with all names that are there: one that gets more than a dozen by `[name] =` becomes a
		// slow one in V8, and a copy does not.
		const templates = new Map<SqlValue, Document>();
		return (row) => {
			const text = (fields.length === 0 ? null : row[absence])!;
			const absent = this.#absentIn(text);
			let template = templates.get(text);
			if (template === undefined) {
				const names = fields.map(({ name }) => name).filter((name) => !absent?.has(name));
				template = JSON.parse(`{${['_id', ...names].map((name) => `${JSON.stringify(name)}:null`)}}`) as Document;
				templates.set(text, template);
			}
			const document: Document = { ...template };
			document._id = row[0] as string | number;
			for (let at = 0; at < fields.length; at++) {
				const { name, kind } = fields[at]!;
				if (!absent?.has(name)) document[name] = decoded(kind, row[at + 1]!);
			}
			return document;
		};
	}

	#absentIn(text: SqlValue): ReadonlySet<string> | undefined {
		if (text === null) return undefined;
		let names = this.#absences.get(text);
		if (names === undefined) {
			names = new Set((text as string).split(','));
			this.#absences.set(text, names); // as few as there are ways in which a schema's fields are left out
		}
		return names;
	}

	#refusal(path: string, why: string): TypeError {
		return new TypeError(`${this.#collection}: ${path} ${why}`);
	}
}

function accountAt(row: readonly SqlValue[], position: number | undefined): string | undefined {
	const account = position === undefined ? undefined : row[position];
	return typeof account === 'string' ? account : undefined;
}

function decoded(kind: Field['kind'], value: SqlValue): Json {
	if (value === null) return null;
	if (kind === 'json') return JSON.parse(value as string) as Json;
	return typeof value === 'object' ? value[0] === 1 : value;
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

/** @throws Error where it is no path of plain names */
function derivedName(path: string): string {
	if (!/^[A-Za-z_]\w*(\.[A-Za-z_]\w*)*$/.test(path)) throw new Error(`${path} cannot be indexed`);
	return `".${path}"`;
}

function quoted(name: string): string {
	return `"${name}"`;
}
