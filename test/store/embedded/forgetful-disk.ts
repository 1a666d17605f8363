import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';

/**
 * Preloaded into a process, it is a disk below the log of a database: `disk.json` beside it is what a loss of power would
 * leave of each page. It forgets as Linux does: a page that was written when a sync failed counts as written, and no later
 * sync brings it to the disk unless it is written once more. Syncs fail while there is a file `failing` in the directory.
 */
const PAGE = 4096;
const [dataDir = ''] = process.argv.slice(2);
const image = join(dataDir, 'disk.json');
const log = join(dataDir, 'slotwise.db-wal');

/** Of each page of the log, in base64: what is on the disk, and what a failed sync has dropped. */
export interface Disk {
	kept: string[];
	dropped: string[];
}

const { fdatasync, fdatasyncSync, writeSync } = fs;

fs.fdatasync = ((file: number, callback: fs.NoParamCallback) => {
	fdatasync(file, (error) => callback(error ?? failureOfSync()));
}) as typeof fs.fdatasync;

fs.fdatasyncSync = (file) => {
	fdatasyncSync(file);
	const failure = failureOfSync();
	if (failure) throw failure;
};

fs.writeSync = ((file: number, bytes: Uint8Array, offset: number, length: number, position: number) => {
	if (typeof position === 'number') writtenAnew(position, length);
	return writeSync(file, bytes, offset, length, position);
}) as typeof fs.writeSync;
syncBuiltinESMExports();

function failureOfSync(): NodeJS.ErrnoException | null {
	const [disk, now] = [read(), pages()];
	const isWritten = (page: string, at: number) => page !== disk.kept[at] && page !== disk.dropped[at];
	const failing = fs.existsSync(join(dataDir, 'failing'));
	now.forEach((page, at) => {
		if (isWritten(page, at)) disk[failing ? 'dropped' : 'kept'][at] = page;
	});
	fs.writeFileSync(image, JSON.stringify(disk));
	if (!failing) return null;
	return Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' });
}

function writtenAnew(position: number, length: number): void {
	const disk = read();
	for (let at = Math.floor(position / PAGE); at * PAGE < position + length; at++) disk.dropped[at] = '';
	fs.writeFileSync(image, JSON.stringify(disk));
}

function read(): Disk {
	return fs.existsSync(image) ? (JSON.parse(fs.readFileSync(image, 'utf8')) as Disk) : { kept: [], dropped: [] };
}

function pages(): string[] {
	const bytes = fs.readFileSync(log);
	return Array.from({ length: Math.ceil(bytes.length / PAGE) }, (_, at) =>
		bytes.subarray(at * PAGE, (at + 1) * PAGE).toString('base64'),
	);
}
