import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';

/**
 * Preloaded into a writer, it keeps beside its database what a loss of power would leave at least: both files as they
 * were when the last sync of the log ended. The copy that is complete is the directory `synced`.
 */
const dataDir = process.argv[2] ?? '';
const synced = join(dataDir, 'synced');
const { fdatasync } = fs;

fs.fdatasync = ((file: number, callback: fs.NoParamCallback) => {
	fdatasync(file, (error) => {
		if (!error) keep();
		callback(error);
	});
}) as typeof fs.fdatasync;
syncBuiltinESMExports();
// Only now: whoever imports the store takes hold of the system's calls.
const { databaseFile } = await import('../../../shared/store/embedded/database.ts');

function keep(): void {
	const copy = join(dataDir, 'copy');
	fs.rmSync(copy, { recursive: true, force: true });
	fs.mkdirSync(copy);
	for (const name of [databaseFile, `${databaseFile}-wal`]) fs.copyFileSync(join(dataDir, name), join(copy, name));
	const before = join(dataDir, 'before');
	fs.rmSync(before, { recursive: true, force: true });
	if (fs.existsSync(synced)) fs.renameSync(synced, before);
	fs.renameSync(copy, synced);
}
