import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';
import { until } from './until.ts';

/** Why there can be no terminal here; undefined where there can. `script` of util-linux is on every Debian. */
export function whyNoTerminal(): string | undefined {
	const { stdout } = spawnSync('script', ['--version'], { encoding: 'utf8' });
	return stdout?.includes('util-linux') ? undefined : 'no `script` of util-linux';
}

/** A program on a pseudo-terminal, and a person who types. */
export class Terminal {
	readonly exited: Promise<number>;
	readonly #process: ChildProcessWithoutNullStreams;
	#screen = '';
	/** What was read before the last line was typed */
	#read = 0;

	/** @param command a line for the shell */
	constructor(command: string, env: Record<string, string>, cwd: string) {
		const variables = { PATH: process.env.PATH ?? '', TERM: 'xterm', ...env };
		this.#process = spawn('script', ['-qfec', command, '/dev/null'], { env: variables, cwd });
		this.#process.stdin.on('error', () => {}); // it may end while somebody types
		for (const stream of [this.#process.stdout, this.#process.stderr]) {
			stream.setEncoding('utf8').on('data', (text: string) => {
				this.#screen += text;
			});
		}
		this.exited = new Promise((resolve) => this.#process.once('exit', (code) => resolve(code ?? -1)));
	}

	/** Types keys, and waits until what has come since shows `expected`. @returns what came, without colours */
	async type(keys: string, expected: RegExp): Promise<string> {
		this.#read = this.#screen.length;
		this.#process.stdin.write(keys);
		return this.shows(expected);
	}

	/** Waits until what has come since the last keys shows `expected`. */
	async shows(expected: RegExp): Promise<string> {
		const text = () => stripVTControlCharacters(this.#screen.slice(this.#read)).replaceAll('\r', '');
		const what = () => `${expected} on the terminal, which shows:\n${text().slice(-2_000)}`;
		return until(() => expected.test(text()) && text()).catch(() => {
			throw new Error(`waited in vain for ${what()}`);
		});
	}

	async stop(): Promise<void> {
		this.#process.kill('SIGTERM'); // `script` hangs up on what runs in it
		await this.exited;
	}
}
