import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';

/**
 * Counts the documents of each collection in a database file that nobody has open, and leaves no trace there.
 * @throws Error where it is not a whole database
 */
export function countDocuments(file: string): Record<string, number> {
	const address = pathToFileURL(file);
	address.searchParams.set('immutable', '1'); // no log beside it, no lock
	const sqlite = new DatabaseSync(address, { readOnly: true });
	try {
		const tables = sqlite
			.prepare(`SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '%.%' ORDER BY name`)
			.all() as { name: string }[];
		return Object.fromEntries(
			tables.map(({ name }) => [name, Number(sqlite.prepare(`SELECT count(*) AS n FROM "${name}"`).get()?.n)]),
		);
	} finally {
		sqlite.close();
	}
}
