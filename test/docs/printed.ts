import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe } from '@jest/globals';
import { Child } from '../support/child.ts';
import { SETTABLE } from '../support/set-clock.ts';
import { until } from '../support/until.ts';
import { root } from './sources.ts';

const missing = ['bash', 'curl'].filter((tool) => spawnSync(tool, ['--version']).error !== undefined);

/** `describe` for commands that a page prints; skipped where a shell or curl is not here. */
export const describePrinted = missing.length > 0 ? describe.skip : describe;

/** Each call that stands in a block of its own, with the answer below it where there is one. */
export function printedCalls(text: string): { command: string; answer: string | undefined }[] {
	const blocks = text.matchAll(/```sh\n(curl [\s\S]*?)\n```(?:\n\n```json\n(.*)\n```)?/g);
	return [...blocks].map(([, command, answer]) => ({ command: command!, answer }));
}

/** `…` stands for whatever is not worth a reader's time. */
export function shown(answer: string): RegExp {
	const literal = answer.split('…').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
	return new RegExp(`^${literal.join('.+?')}$`);
}

/** An empty Slotwise, as a reader starts it, with what the pages tell him to keep in variables. */
export class ReadersProduct {
	readonly log: string;
	readonly #directory = mkdtempSync(join(tmpdir(), 'slotwise-reader-'));
	readonly #product: Child;
	#variables: Record<string, string> = {};

	/** @param now the moment at which it starts, by its clock; left out: now */
	constructor(now?: string) {
		this.log = join(this.#directory, 'log');
		const clock = now === undefined ? {} : { ...SETTABLE, CLOCK_OFFSET: String(Date.parse(now) - Date.now()) };
		const env = { PATH: process.env.PATH ?? '', PORT: '0', ADMIN_PORT: 'off', LOG_FORMAT: 'json', ...clock };
		const options = { env, cwd: this.#directory, logFile: this.log };
		this.#product = new Child('slotwise', process.execPath, [join(root, 'main.js')], options);
	}

	async ready(): Promise<void> {
		const output = () => readFileSync(this.log, 'utf8');
		const KEY = await until(() => /slw_[0-9A-Za-z]{36}/.exec(output())?.[0]);
		const API = `${await until(() => /"url":"([^"]+)"/.exec(output())?.[1])}/v1`;
		const headers = { AUTH: `Authorization: Bearer ${KEY}`, JSON: 'Content-Type: application/json' };
		this.#variables = { API, KEY, ...headers, PATH: process.env.PATH ?? '' };
	}

	/** What a command prints. */
	async run(command: string): Promise<string> {
		return (await promisify(execFile)('bash', ['-c', command], { env: this.#variables })).stdout;
	}

	async stop(): Promise<void> {
		await this.#product.stop();
		rmSync(this.#directory, { recursive: true, force: true });
	}
}
