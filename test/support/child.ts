import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, createWriteStream, openSync, type WriteStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { followFile } from './follow-file.ts';
import { lastBytes } from './last-bytes.ts';

export interface ChildOptions {
	env?: Record<string, string>;
	cwd?: string;
	/** File that everything it prints is appended to */
	logFile?: string;
	/** It prints into `logFile` itself, not through this process, which reads along until `stopReading()` */
	direct?: boolean;
}

const TAIL = 60;
const TAIL_BYTES = 64 * 1024;

/** A process that the tests started. Its last lines are kept for error reports, and it is only ever ended by its pid. */
export class Child {
	readonly name: string;
	readonly pid: number;
	/** Its exit code, or the name of the signal that ended it */
	readonly exited: Promise<number | NodeJS.Signals>;
	#ended = false;
	readonly #process: ChildProcess;
	readonly #lines: string[] = [];
	readonly #listeners = new Set<(line: string) => void>();
	readonly #log: WriteStream | undefined;
	readonly #directLog: string | undefined;
	#stopReading = () => {};

	constructor(name: string, command: string, args: string[], options: ChildOptions = {}) {
		this.name = name;
		const { logFile, direct = false } = options;
		this.#log = logFile === undefined || direct ? undefined : createWriteStream(logFile, { flags: 'a' });
		this.#directLog = direct ? logFile : undefined;
		const output = this.#directLog === undefined ? 'pipe' : openSync(this.#directLog, 'a');
		if (this.#directLog !== undefined) this.#stopReading = followFile(this.#directLog, (line) => this.#keep(line));
		this.#process = spawn(command, args, {
			env: options.env ?? { PATH: process.env.PATH ?? '' },
			cwd: options.cwd,
			stdio: ['ignore', output, output],
		});
		if (typeof output === 'number') closeSync(output); // it has a copy
		this.pid = this.#process.pid ?? 0;
		this.exited = new Promise((resolve, reject) => {
			this.#process.once('error', reject);
			this.#process.once('exit', (code, signal) => {
				this.#ended = true;
				this.#log?.end();
				this.#stopReading();
				resolve(signal ?? code ?? -1);
			});
		});
		this.exited.catch(() => {}); // a failed spawn is told by whoever waits for it
		for (const stream of [this.#process.stdout, this.#process.stderr]) {
			if (stream !== null) createInterface({ input: stream }).on('line', (line) => this.#keep(line));
		}
	}

	get ended(): boolean {
		return this.#ended;
	}

	/** Calls `listener` with each line it prints from now on; returns how to stop that. */
	onLine(listener: (line: string) => void): () => void {
		this.#listeners.add(listener);
		return () => this.#listeners.delete(listener);
	}

	/** Of what it prints into its own file, nothing is read any more. */
	stopReading(): void {
		this.#stopReading();
	}

	/** Its last lines, for an error report. */
	tail(): string {
		const lines = this.#directLog === undefined ? this.#lines : lastBytes(this.#directLog, TAIL_BYTES).split('\n');
		return `--- last lines of ${this.name} (pid ${this.pid})\n${lines.slice(-TAIL).join('\n')}`;
	}

	/** SIGKILL, SIGSTOP, SIGCONT, SIGTERM … */
	kill(signal: NodeJS.Signals): void {
		if (!this.#ended && this.pid > 0) this.#process.kill(signal);
	}

	/** SIGTERM, and SIGKILL when it is still there after `patience` ms. */
	async stop(patience = 60_000): Promise<number | NodeJS.Signals> {
		this.kill('SIGCONT');
		this.kill('SIGTERM');
		const timer = setTimeout(() => this.kill('SIGKILL'), patience);
		return this.exited.finally(() => clearTimeout(timer));
	}

	#keep(line: string): void {
		if (!this.#ended) this.#log?.write(`${line}\n`);
		this.#lines.push(line);
		if (this.#lines.length > TAIL) this.#lines.shift();
		for (const listener of this.#listeners) listener(line);
	}
}
