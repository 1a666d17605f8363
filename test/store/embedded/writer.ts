import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';

/** A process that writes until it is killed; see `writer-process.ts`. */
export class Writer {
	readonly #process: ChildProcess;
	/** Resolves with the exit code or signal when all that it printed has arrived. */
	readonly ended: Promise<number | string>;
	out = '';
	err = '';

	/** @param preload a module that its process loads first */
	constructor(dataDir: string, { firstId = 1, preload }: { firstId?: number; preload?: string } = {}) {
		const script = join(import.meta.dirname, 'writer-process.ts');
		this.#process = spawn(process.execPath, [
			'--disable-warning=ExperimentalWarning',
			...(preload === undefined ? [] : ['--import', preload]),
			script,
			dataDir,
			String(firstId),
		]);
		this.#process.stdout?.on('data', (chunk) => {
			this.out += chunk;
		});
		this.#process.stderr?.on('data', (chunk) => {
			this.err += chunk;
		});
		this.ended = new Promise((resolve) => {
			this.#process.on('close', (code, signal) => resolve(signal ?? code ?? -1));
		});
	}

	/** The lines that are complete. */
	get lines(): string[] {
		return this.out.split('\n').slice(0, -1);
	}

	kill(): void {
		this.#process.kill('SIGKILL');
	}
}
