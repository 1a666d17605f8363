import { closeSync, fsyncSync, openSync } from 'node:fs';

/** Puts the names of a directory's files on the disk. Windows opens no directories, and does so by itself. */
export function syncDirectory(directory: string): void {
	if (process.platform === 'win32') return;
	const descriptor = openSync(directory, 'r');
	try {
		fsyncSync(descriptor);
	} finally {
		closeSync(descriptor);
	}
}
