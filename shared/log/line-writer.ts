import type { DestinationStream } from 'pino';

/** Characters that are written at once, though the turn is not over */
const MOST = 16 * 1024;

/**
 * Writes the lines of one turn of the event loop together: with many requests a turn, a system call for each line is a
 * tenth of what a read costs. Nothing is kept beyond the turn, so a killed process loses only lines of the very turn in
 * which it was killed.
 */
export class LineWriter implements DestinationStream {
	readonly #out: DestinationStream;
	#lines = '';

	/** @param out writes before it returns */
	constructor(out: DestinationStream) {
		this.#out = out;
		process.on('exit', () => this.flushSync());
	}

	write(line: string): void {
		if (this.#lines === '') setImmediate(() => this.flushSync());
		this.#lines += line;
		if (this.#lines.length >= MOST) this.flushSync();
	}

	/** pino calls it after a fatal line, too. */
	flushSync(): void {
		const lines = this.#lines;
		this.#lines = '';
		if (lines !== '') this.#out.write(lines);
	}
}
