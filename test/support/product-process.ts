import { join, resolve } from 'node:path';
import type { ServiceName } from '../../shared/config/config.ts';
import { askAdmin } from './ask-admin.ts';
import { Child } from './child.ts';
import { freePort } from './free-port.ts';
import { until } from './until.ts';

const MAIN = resolve(import.meta.dirname, '../../main.js');
/** The sources, whatever bundle there is: for what is loaded into a process and reaches for its modules, or profiles them. */
const SOURCES = resolve(import.meta.dirname, '../../main.ts');
/** What `main.js` would turn on: without it each start of the sources takes twice the time (ADR 17). */
const COMPILED = { NODE_COMPILE_CACHE: resolve(import.meta.dirname, '../../node_modules/.cache/slotwise') };
const START_LIMIT = 120_000; // ms; many processes may share two cores

export interface ProcessOptions {
	/** Whether it logs into its file itself: so that this process has no part in what it costs */
	direct?: boolean | undefined;
	/** What its command line begins with, such as a shell that limits it first */
	prefix?: readonly string[] | undefined;
}

/** One `node main.js`. A restart takes the same ports and settings. */
export class ProductProcess {
	readonly name: string;
	readonly services: readonly ServiceName[];
	readonly #env: Record<string, string>;
	readonly #directory: string;
	readonly #options: ProcessOptions;
	#child: Child;
	#url: string | undefined;
	#adminUrl: string | undefined;

	private constructor(
		name: string,
		services: readonly ServiceName[],
		env: Record<string, string>,
		directory: string,
		options: ProcessOptions,
	) {
		this.name = name;
		this.services = services;
		this.#env = env;
		this.#directory = directory;
		this.#options = options;
		this.#child = this.#spawn();
	}

	/**
	 * Starts a process; `ready()` tells when it can serve.
	 * @param directory its working directory, where its log goes as well
	 * @param env beside PATH, all that it sees
	 */
	static async start(
		name: string,
		services: readonly ServiceName[],
		env: Record<string, string>,
		directory: string,
		options: ProcessOptions = {},
	): Promise<ProductProcess> {
		const port = services.includes('gateway') ? await freePort() : 0;
		return new ProductProcess(name, services, { PORT: String(port), ...env }, directory, options);
	}

	get pid(): number {
		return this.#child.pid;
	}

	get ended(): boolean {
		return this.#child.ended;
	}

	get exited(): Promise<number | NodeJS.Signals> {
		return this.#child.exited;
	}

	/** Of the API; only a process with the gateway has one. */
	get url(): string | undefined {
		return this.#url;
	}

	/** Of /healthz, /readyz and /metrics. */
	get adminUrl(): string {
		if (this.#adminUrl === undefined) throw new Error(`${this.name} is not ready`);
		return this.#adminUrl;
	}

	get logFile(): string {
		return join(this.#directory, `${this.name}.log`);
	}

	tail(): string {
		return this.#child.tail();
	}

	kill(signal: NodeJS.Signals): void {
		this.#child.kill(signal);
	}

	stop(): Promise<number | NodeJS.Signals> {
		return this.#child.stop();
	}

	/** Starts a dead process again; wait for `ready()`. */
	async restart(): Promise<void> {
		await this.#child.exited;
		this.#child = this.#spawn();
	}

	/**
	 * Resolves when /readyz answers 200.
	 * @throws with the last lines of its log when it ends before
	 */
	async ready(): Promise<void> {
		try {
			await until(() => this.ended || this.#serves(), { timeout: START_LIMIT, what: `${this.name} to be ready` });
		} catch (error) {
			throw new Error(`${(error as Error).message}\n${this.tail()}`, { cause: error });
		}
		if (this.ended) throw new Error(`${this.name} ended (${await this.exited}) before it was ready\n${this.tail()}`);
		this.#child.stopReading();
	}

	async #serves(): Promise<boolean> {
		if (this.#adminUrl === undefined) return false;
		if (this.services.includes('gateway') && this.#url === undefined) return false;
		const answer = await askAdmin(`${this.#adminUrl}/readyz`, AbortSignal.timeout(10_000));
		await answer.arrayBuffer();
		return answer.status === 200;
	}

	#spawn(): Child {
		this.#url = undefined;
		this.#adminUrl = undefined;
		const { direct = false, prefix = [] } = this.#options;
		const [main, more] = this.#env.NODE_OPTIONS === undefined ? [MAIN, {}] : [SOURCES, COMPILED];
		const [command, ...args] = [...prefix, process.execPath, main];
		const child = new Child(this.name, command!, args, {
			env: { PATH: process.env.PATH ?? '', ...more, ...this.#env },
			cwd: this.#directory, // not the checkout: a developer's .env is no part of a test
			logFile: this.logFile,
			direct,
		});
		child.onLine((line) => {
			if (!line.startsWith('{')) return;
			const entry = parse(line);
			if (entry.msg === 'listening') this.#url = String(entry.url);
			if (entry.msg === 'process ready') this.#adminUrl = String(entry.admin_url);
		});
		return child;
	}
}

function parse(line: string): Record<string, unknown> {
	try {
		return JSON.parse(line) as Record<string, unknown>;
	} catch {
		return {};
	}
}
