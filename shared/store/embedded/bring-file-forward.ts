import { type Database, formatVersion } from './database.ts';
import { addColumns, createIndexSql, type Index } from './table.ts';

/**
 * Brings a file of format 1 forward, whose indexes were on expressions: they become indexes on columns. One transaction, so
 * that the file is never without its unique indexes. It writes each table once, and each index: about as much as the file.
 */
export function bringFileForward(database: Database): void {
	if (database.format === formatVersion) return;
	database.exec('BEGIN IMMEDIATE');
	try {
		const [isEmpty] = database.get("SELECT count(*) = 0 FROM sqlite_schema WHERE name = 'slotwise.indexes'")!;
		const rows = isEmpty ? [] : database.all('SELECT collection, definition FROM "slotwise.indexes" ORDER BY rowid');
		for (const [table, group] of Map.groupBy(rows, ([collection]) => collection as string)) {
			const indexes = group.map(([, definition]) => JSON.parse(definition as string) as Index);
			for (const { name } of indexes) database.exec(`DROP INDEX "${table}.${name}"`);
			const paths = new Set(indexes.flatMap(({ key }) => key.map(([path]) => path)));
			paths.delete('_id');
			addColumns(database, table, [...paths]);
			for (const index of indexes) database.exec(createIndexSql(table, index));
		}
		database.exec(`PRAGMA user_version = ${formatVersion}; COMMIT`);
	} catch (error) {
		if (database.inTransaction) database.exec('ROLLBACK');
		throw error;
	}
}
