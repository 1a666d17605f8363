import { Columns, OTHERS } from './columns.ts';
import type { Database, SqlRow } from './database.ts';
import type { Document } from './query/json-value.ts';
import type { Index, Part, Shape } from './shape.ts';

/** The shape that a table was made for; one without fields where it is missing, or of an earlier layout. */
export function shapeIn(database: Database, table: string): Shape {
	return shapeOf(columnsIn(database, table));
}

function shapeOf(columns: readonly SqlRow[]): Shape {
	const isNumbered = columns.some(([name, type]) => name === '_id' && type === 'INTEGER');
	if (hasText(columns)) return { fields: [], isNumbered };
	const fields = columns.filter(([name]) => name !== '_id' && !/^[.:]/.test(name as string));
	return {
		fields: fields.map(([name, type]) => ({ name: name as string, kind: type === 'TEXT' ? 'json' : 'scalar' })),
		isNumbered,
	};
}

/**
 * Writes the rows of another schema anew, and those of an earlier layout. One transaction, so that the table is never without
 * its unique indexes; it writes about as much as the table holds.
 */
export function bringForward(database: Database, table: string, columns: Columns, indexes: readonly Index[]): void {
	const found = columnsIn(database, table);
	if (found.some(([name]) => name === OTHERS) && listed(shapeOf(found)) === listed(columns.shape)) return;
	const documents = readerOf(table, found);
	const earlier = `${table}.earlier`;
	database.begin();
	try {
		database.exec(`ALTER TABLE "${table}" RENAME TO "${earlier}"`);
		for (const { name } of indexes) database.exec(`DROP INDEX "${table}.${name}"`);
		database.exec(`CREATE TABLE "${table}" (${columns.definition})`);
		addMissing(database, table, columns);
		const insert = insertSql(table, columns);
		for (const row of database.iterate(`SELECT ${documents.list} FROM "${earlier}" ORDER BY rowid`)) {
			database.run(insert, ...columns.encode(documents.decode(row)));
		}
		database.exec(`DROP TABLE "${earlier}"`);
		for (const index of indexes) database.exec(createIndexSql(table, columns, index));
		database.commit();
	} catch (error) {
		if (database.inTransaction) database.exec('ROLLBACK');
		throw error;
	}
}

/** Adds the columns that indexes need, and that the table does not have yet. */
export function addMissing(database: Database, table: string, { names }: Columns): void {
	const there = new Set(columnsIn(database, table).map(([name]) => `"${name}"`));
	for (const name of names) {
		if (name !== '_id' && !there.has(name)) database.exec(`ALTER TABLE "${table}" ADD COLUMN ${name}`);
	}
}

export function insertSql(table: string, { names, list }: Columns): string {
	return `INSERT INTO "${table}" (${list}) VALUES (${names.map(() => '?')})`;
}

export function createIndexSql(table: string, columns: Columns, index: Index): string {
	const { name, key, unique } = index;
	const parts = key.map(([path, direction]) => `${columns.nameOf(path)} ${direction === 1 ? 'ASC' : 'DESC'}`);
	const where = index.part === undefined ? '' : ` WHERE ${partCondition(columns, index.part)}`;
	return `CREATE ${unique ? 'UNIQUE' : ''} INDEX "${table}.${name}" ON "${table}" (${parts})${where}`;
}

/** What a partial index is about. A query has to say it in the same words, or SQLite does not use the index. */
export function partCondition(columns: Columns, { path, above }: Part): string {
	return `${columns.nameOf(path)} > ${above === 0 ? '0' : "''"}`;
}

/** The column of a table of an earlier layout, which held the whole document as JSON */
const TEXT = 'doc';

/** Name and declared type of each column of a table; none where it is missing. */
function columnsIn(database: Database, table: string): SqlRow[] {
	return database.all('SELECT name, type FROM pragma_table_info(?)', table);
}

/** How the documents of a table with these columns are read. */
function readerOf(table: string, columns: readonly SqlRow[]): Pick<Columns, 'list' | 'decode'> {
	if (!hasText(columns)) return new Columns(table, shapeOf(columns));
	return { list: TEXT, decode: ([text]) => JSON.parse(text as string) as Document };
}

function hasText(columns: readonly SqlRow[]): boolean {
	return columns.some(([name]) => name === TEXT);
}

/** A shape as one text, whatever the order of its fields. */
function listed({ fields, isNumbered }: Shape): string {
	const all = fields.map(({ name, kind }) => `${name} ${kind}`);
	return [isNumbered, ...all.sort()].join();
}
