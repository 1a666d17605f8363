import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { syncDirectory } from './commit/log-sync.ts';

/** What makes a directory a backup. */
export const backupManifest = 'backup.json';
/** What it is called once a store was opened from it: the directory is a store as any other from then on. */
export const openedManifest = 'backup.opened.json';

/** A backup lies where the log of another store was left: SQLite would write that log into it. */
export class ForeignLog extends Error {
	override readonly name = 'ForeignLog';
}

/**
 * To be called before a database file is opened, which makes a log beside it. A backup has none: one that is there was left by a
 * killed process, and the backup was put over its store.
 * @param database name of the file
 * @throws ForeignLog
 */
export function openBackup(dataDir: string, database: string): void {
	const manifest = join(dataDir, backupManifest);
	if (!existsSync(manifest)) return;
	const log = `${database}-wal`;
	if (existsSync(join(dataDir, log))) {
		throw new ForeignLog(
			`DATA_DIR ${dataDir} holds a backup beside the log of another store (${log}): put the backup into an empty directory, ` +
				`or remove ${backupManifest} where this store was started from it.`,
		);
	}
	renameSync(manifest, join(dataDir, openedManifest));
	syncDirectory(dataDir); // before there is a log
}
