import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { databaseFile, formatVersion } from './database.ts';

/** Where it is in the file, https://sqlite.org/fileformat.html section 1.3 */
const USER_VERSION = 60;

/**
 * What the database file of a `DATA_DIR` was made by, looked up without opening it, which would bring an earlier one forward.
 * A start that was killed may have left it in the log alone: then it looks like a new one.
 */
export function madeBy(dataDir: string): 'nobody' | 'this format' | 'an earlier one' | 'a later one' {
	const file = join(dataDir, databaseFile);
	if (!existsSync(file)) return 'nobody';
	const header = Buffer.alloc(USER_VERSION + 4);
	const descriptor = openSync(file, 'r');
	try {
		readSync(descriptor, header, 0, header.length, 0);
	} finally {
		closeSync(descriptor);
	}
	const format = header.readUInt32BE(USER_VERSION);
	if (format === 0) return 'nobody';
	if (format === formatVersion) return 'this format';
	return format < formatVersion ? 'an earlier one' : 'a later one';
}
