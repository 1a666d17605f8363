import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { isFree } from '../support/free-port.ts';

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
	const control = (process.env.TEST_MONGO_CONTROL ?? '').split(' ').filter((word) => word !== '');
	if (control.length === 0) return undefined;
	const given = process.env.TEST_MONGO_DIR;
	if (given !== undefined)
		return startDatabase(control, given, process.env.TEST_MONGO_PORT ?? String(await twoPorts()));
	const parent = mkdtempSync(join(tmpdir(), 'slotwise-proof-'));
	for (let attempt = 1; ; attempt++) {
		const directory = join(parent, `database-${attempt}`);
		const port = String(await twoPorts());
		try {
			const database = await startDatabase(control, directory, port);
			const end = async () => {
				await run(control[0]!, [...control.slice(1), 'wipe', directory, port], { timeout: 60_000 });
				rmSync(parent, { recursive: true, force: true });
			};
			return { ...database, end };
		} catch (error) {
			if (attempt === 3) throw error; // somebody may have taken the port meanwhile
		}
	}
}

async function startDatabase(control: string[], directory: string, port: string): Promise<OwnDatabase> {
	const [command, ...args] = control;
	const tell = async (word: string) =>
		void (await run(command!, [...args, word, directory, port], { timeout: 60_000 }));
	await tell('start');
	return {
		url: `mongodb://127.0.0.1:${port}`,
		kill: () => tell('kill'),
		start: () => tell('start'),
		end: async () => {},
	};
}

/** The first of two free ports in a row, below those that connections take for themselves: it must be free after a kill too. */
async function twoPorts(): Promise<number> {
	for (;;) {
		const port = 20_000 + 2 * Math.floor(Math.random() * 6_000);
		if ((await isFree(port)) && (await isFree(port + 1))) return port;
	}
}
