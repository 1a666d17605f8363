import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Why no server's clock can be moved here; undefined where it can. */
export function whyNoMovedClock(): string | undefined {
	if (process.platform !== 'linux') return 'clocks of servers are moved on Linux only';
	return spawnSync('cc', ['--version']).status === 0 ? undefined : 'cc is not installed';
}

/** The wall clock of servers that were started with `env`: right, until it is moved. */
export class MovedClock {
	readonly env: Record<string, string>;
	readonly #directory = mkdtempSync(join(tmpdir(), 'clock-'));
	readonly #file: number;

	constructor() {
		const library = join(this.#directory, 'moved-clock.so');
		const source = join(import.meta.dirname, 'moved-clock.c');
		const { status, stderr } = spawnSync('cc', ['-O2', '-shared', '-fPIC', '-o', library, source]);
		if (status !== 0) throw new Error(`cc failed: ${stderr}`);
		const path = join(this.#directory, 'offset');
		writeFileSync(path, Buffer.alloc(8));
		this.#file = openSync(path, 'r+');
		this.env = { LD_PRELOAD: library, MOVED_CLOCK: path };
	}

	/** At once, for everybody who has it. @param offset ms from the right time */
	move(offset: number): void {
		const micros = Buffer.alloc(8);
		micros.writeBigInt64LE(BigInt(offset) * 1000n);
		writeSync(this.#file, micros, 0, 8, 0); // in one piece, for the servers have it in their memory
	}

	/** After its servers have ended. */
	remove(): void {
		closeSync(this.#file);
		rmSync(this.#directory, { recursive: true, force: true });
	}
}
