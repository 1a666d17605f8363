import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../support/free-port.ts';

const run = promisify(execFile);

/** A database that can be killed. */
export interface OwnDatabase {
	url: string;
	kill(): Promise<void>;
	start(): Promise<void>;
	/** Stops it, and removes what it left. */
	end(): Promise<void>;
}

/**
 * Starts a database of one's own, if TEST_MONGO_CONTROL tells how: a command that takes `start`, `kill` and `wipe` with a
 * directory and a port. TEST_MONGO_DIR and TEST_MONGO_PORT name those; without them both are new, and go in the end.
 */
export async function ownDatabase(): Promise<OwnDatabase | undefined> {
	const [command, ...args] = (process.env.TEST_MONGO_CONTROL ?? '').split(' ').filter((word) => word !== '');
	if (command === undefined) return undefined;
	const given = process.env.TEST_MONGO_DIR;
	const directory = given ?? join(mkdtempSync(join(tmpdir(), 'slotwise-proof-')), 'database');
	const port = process.env.TEST_MONGO_PORT ?? String(await freePort());
	const tell = async (word: string) => void (await run(command, [...args, word, directory, port], { timeout: 60_000 }));
	await tell('start');
	return {
		url: `mongodb://127.0.0.1:${port}`,
		kill: () => tell('kill'),
		start: () => tell('start'),
		async end() {
			if (given !== undefined) return;
			await tell('wipe');
			rmSync(join(directory, '..'), { recursive: true, force: true });
		},
	};
}
