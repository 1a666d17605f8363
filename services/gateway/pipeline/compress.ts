import { createGzip, type Gzip, gzipSync } from 'node:zlib';
import type { Reading } from '../../../shared/work/reading.ts';

/** Bytes that are compressed where they are: some 0.1 ms. A thread would take longer to be asked. */
const AT_ONCE = 16 * 1024;
/** Bytes that a thread compresses in one go: 0.1 ms, or some milliseconds where they are noise */
const PIECE = 64 * 1024;
/** The fastest: it leaves a tenth of a long list, where the usual one leaves a twelfth in four times the time. */
const LEVEL = 1;

/**
 * Compresses an answer: a short one at once, a longer one piece by piece in a thread, one piece at a time in the process.
 * @param account whose answer it is; undefined where that is not known
 * @param reading is asked before each piece whether somebody still waits
 * @throws gateway_timeout where nobody does
 */
export function compress(
	body: string | Buffer,
	account = '',
	reading?: Pick<Reading, 'assertWanted' | 'becomesLong'>,
): Buffer | Promise<Buffer> {
	if (Buffer.byteLength(body) <= AT_ONCE) return exactly([gzipSync(body, { level: LEVEL })]);
	reading?.becomesLong();
	const bytes = typeof body === 'string' ? Buffer.from(body) : body;
	return turns.take(account, (pass) => inPieces(bytes, pass, () => reading?.assertWanted()));
}

/** @param pass lets others have their turns */
async function inPieces(body: Buffer, pass: () => Promise<void>, assertWanted: () => void): Promise<Buffer> {
	assertWanted();
	const parts: Buffer[] = [];
	const gzip = createGzip({ level: LEVEL, chunkSize: PIECE }).on('data', (part: Buffer) => parts.push(part));
	try {
		let at = 0;
		for (; at + PIECE < body.length; at += PIECE) {
			await written(gzip, body.subarray(at, at + PIECE));
			await pass();
			assertWanted();
		}
		await ended(gzip, body.subarray(at));
		return exactly(parts);
	} finally {
		gzip.destroy();
	}
}

function written(gzip: Gzip, piece: Buffer): Promise<void> {
	return whenDone(gzip, (done) => gzip.write(piece, (error) => error ?? done()));
}

function ended(gzip: Gzip, piece: Buffer): Promise<void> {
	return whenDone(gzip, (done) => gzip.once('end', done).end(piece));
}

/** Where the thread fails, the stream says so, and nobody may be called back: others would wait for their turns for ever. */
function whenDone(gzip: Gzip, begin: (done: () => void) => void): Promise<void> {
	return new Promise((resolve, reject) => {
		gzip.once('error', reject);
		begin(() => {
			gzip.off('error', reject);
			resolve();
		});
	});
}

/** In memory of their own, no larger than they are: it lies until a slow client takes it, and can then be given back. */
function exactly(parts: readonly Buffer[]): Buffer {
	const bytes = Buffer.allocUnsafeSlow(parts.reduce((sum, part) => sum + part.length, 0));
	let end = 0;
	for (const part of parts) end += part.copy(bytes, end);
	return bytes;
}

/**
 * Whose piece is next: accounts take turns, and an account's answers are compressed one after the other, so that there are no
 * more compressors, of a quarter of a megabyte each, than accounts. One thread is enough, for texts are not made any faster;
 * the others are for the disk.
 */
class Turns {
	/** Those that wait, in the order in which they go on, by account; accounts in the order of their turns */
	readonly #lines = new Map<string, (() => void)[]>();
	#isBusy = false;

	/** @param work is given what lets others have their turns before it goes on */
	async take<T>(account: string, work: (pass: () => Promise<void>) => Promise<T>): Promise<T> {
		if (this.#isBusy) {
			await new Promise<void>((begin) => {
				const line = this.#lines.get(account);
				if (line === undefined) this.#lines.set(account, [begin]);
				else line.push(begin);
			});
		}
		this.#isBusy = true;
		try {
			return await work(() => this.#pass(account));
		} finally {
			this.#next();
		}
	}

	/** Its account's next turn is its own. */
	#pass(account: string): Promise<void> {
		return new Promise((goOn) => {
			const line = this.#lines.get(account) ?? [];
			this.#lines.delete(account);
			this.#lines.set(account, [goOn, ...line]);
			this.#next();
		});
	}

	#next(): void {
		const first = this.#lines.entries().next().value;
		this.#isBusy = first !== undefined;
		if (first === undefined) return;
		const [account, [begin, ...others]] = first;
		this.#lines.delete(account);
		if (others.length > 0) this.#lines.set(account, others); // behind all accounts
		begin!();
	}
}

const turns = new Turns();
