import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream, type WriteStream } from 'node:fs';
import { createInterface } from 'node:readline';

export interface ChildOptions {
	env?: Record<string, string>;
	cwd?: string;
	/** File that everything it prints is appended to */
	logFile?: string;
}

const TAIL = 60;

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

	constructor(name: string, command: string, args: string[], options: ChildOptions = {}) {
		this.name = name;
		this.#log = options.logFile === undefined ? undefined : createWriteStream(options.logFile, { flags: 'a' });
		this.#process = spawn(command, args, {
			env: options.env ?? { PATH: process.env.PATH ?? '' },
			cwd: options.cwd,
			stdio: ['ignore', 'pipe', 'pipe'],
		});
		this.pid = this.#process.pid ?? 0;
		this.exited = new Promise((resolve, reject) => {
			this.#process.once('error', reject);
			this.#process.once('exit', (code, signal) => {
				this.#ended = true;
				this.#log?.end();
				resolve(signal ?? code ?? -1);
			});
		});
		this.exited.catch(() => {}); // a failed spawn is told by whoever waits for it
		for (const stream of [this.#process.stdout!, this.#process.stderr!]) {
			createInterface({ input: stream }).on('line', (line) => this.#keep(line));
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

	/** Its last lines, for an error report. */
	tail(): string {
		return `--- last lines of ${this.name} (pid ${this.pid})\n${this.#lines.join('\n')}`;
	}

	/** SIGKILL, SIGSTOP, SIGCONT, SIGTERM … */
	kill(signal: NodeJS.Signals): void {
		if (!this.#ended && this.pid > 0) this.#process.kill(signal);
	}

	/** SIGTERM, and SIGKILL when it is still there after `patience` ms. */
	async stop(patience = 20_000): Promise<number | NodeJS.Signals> {
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
