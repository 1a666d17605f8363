/** A field of a collection's schema, which has a column of its own: a scalar as it is, all else as JSON text. */
export interface Field {
	readonly name: string;
	readonly kind: 'scalar' | 'json';
	/** Whether the schema says that it is a number: SQLite then keeps integers in as few bytes as they take */
	readonly isNumber?: boolean;
}

/** An index as `listIndexes` tells it. */
export interface Index {
	readonly name: string;
	/** Path and direction of each column, in order */
	readonly key: readonly (readonly [string, 1 | -1])[];
	readonly unique: boolean;
	/** What a partial index is about. Left out: all documents have an entry */
	readonly part?: Part;
}

/** Documents where the value at a path, of a scalar field or in the index, is above this: 0, or the empty text. */
export interface Part {
	readonly path: string;
	readonly above: 0 | '';
}

/** What is read of a schema of mongoose: its paths, by their names. */
export interface SchemaPaths {
	readonly paths: Readonly<Record<string, { readonly instance: string }>>;
}

/** Names that mean something else in SQL, or in a table of an earlier layout: such a field has no column of its own. */
const RESERVED = ['_id', 'doc', 'rowid', 'oid', '_rowid_'];

/** What a collection's schema says of its documents. */
export interface Shape {
	readonly fields: readonly Field[];
	/** Whether `_id` is a number: then it is the row's own, with no index beside the table */
	readonly isNumbered: boolean;
}

export function shapeOf({ paths }: SchemaPaths): Shape {
	return { fields: fieldsOf(paths), isNumbered: paths._id?.instance === 'Number' };
}

function fieldsOf(paths: SchemaPaths['paths']): Field[] {
	const fields = new Map<string, Field>();
	for (const [path, { instance }] of Object.entries(paths)) {
		const name = path.split('.')[0]!;
		const column = name.toLowerCase(); // SQL's names have no case
		if (RESERVED.includes(column) || (fields.get(column)?.name ?? name) !== name) continue;
		const isScalar = name === path && ['String', 'Number', 'Boolean'].includes(instance);
		fields.set(column, { name, kind: isScalar ? 'scalar' : 'json', isNumber: isScalar && instance === 'Number' });
	}
	return [...fields.values()];
}

/** What follows a column's name where a table is made. */
export function typeOf({ kind, isNumber }: Field): '' | ' TEXT' | ' REAL' {
	if (kind === 'json') return ' TEXT';
	return isNumber ? ' REAL' : '';
}
