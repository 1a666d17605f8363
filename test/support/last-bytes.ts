import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

/** The end of a text file that may be too large to be read as a whole. */
export function lastBytes(file: string, count: number): string {
	const descriptor = openSync(file, 'r');
	try {
		const buffer = Buffer.alloc(count);
		const start = Math.max(0, fstatSync(descriptor).size - count);
		return buffer.toString('utf8', 0, readSync(descriptor, buffer, 0, count, start));
	} finally {
		closeSync(descriptor);
	}
}
