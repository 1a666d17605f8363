import { join, relative, resolve } from 'node:path';

/** Bytes that a Unix socket's address takes on every system, with its closing zero */
const LONGEST = 103;

/** Where the embedded process listens for operators, as short as it can be said; undefined where it is still too long. */
export function socketPath(dataDir: string): string | undefined {
	const path = join(resolve(dataDir), 'ops.sock');
	return [path, relative(process.cwd(), path)].find((one) => Buffer.byteLength(one) <= LONGEST);
}
