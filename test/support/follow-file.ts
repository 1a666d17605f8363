import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

const EVERY = 20; // ms

/**
 * Calls `onLine` with each whole line that is appended to a file from now on.
 * @returns how to stop that
 */
export function followFile(file: string, onLine: (line: string) => void): () => void {
	const descriptor = openSync(file, 'r');
	const buffer = Buffer.alloc(64 * 1024);
	let position = fstatSync(descriptor).size;
	let rest = '';
	const next = () => readSync(descriptor, buffer, 0, buffer.length, position);
	const read = () => {
		for (let size = next(); size > 0; size = next()) {
			position += size;
			const lines = (rest + buffer.toString('latin1', 0, size)).split('\n');
			rest = lines.pop()!;
			for (const line of lines) onLine(line);
		}
	};
	const timer = setInterval(read, EVERY);
	let stopped = false;
	return () => {
		if (stopped) return;
		stopped = true;
		clearInterval(timer);
		read();
		closeSync(descriptor);
	};
}
