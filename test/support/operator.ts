import { dirname } from 'node:path';
import type { AccountReport, KeyReport, LogEntry } from '../../shared/ops/account-reports.ts';
import { type Ended, opsWith } from '../ops/ops.ts';
import { Client } from './http-client.ts';
import { sharedProduct } from './shared-product.ts';

/** An operator of a product: each command is a process of its own, as in real life. */
export class Operator {
	readonly #env: Record<string, string>;
	readonly #directory: string;
	readonly #urls: () => string[];

	/**
	 * @param env what the commands need to reach the product
	 * @param directory where they run: not the checkout, whose .env is no part of a test
	 * @param urls addresses of its gateways
	 */
	constructor(env: Record<string, string>, directory: string, urls: () => string[]) {
		this.#env = env;
		this.#directory = directory;
		this.#urls = urls;
	}

	run(...words: string[]): Promise<Ended> {
		return opsWith(this.#env, this.#directory, words);
	}

	/**
	 * The data that a command answers.
	 * @throws where its exit code is not 0
	 */
	async ask<T>(...words: string[]): Promise<T> {
		const { code, stdout, stderr } = await this.run(...words, '--json');
		if (code !== 0) throw new Error(`${words.join(' ')} ended with ${code}: ${stderr}`);
		return JSON.parse(stdout) as T;
	}

	createAccount(packageName = 'Unlimited'): Promise<AccountReport> {
		const words = ['--name', 'Ada', '--email', 'ada@example.com', '--package', packageName];
		return this.ask<AccountReport>('accounts', 'create', ...words);
	}

	/** A key of an account, and a client that uses it. */
	async createKey(account: string, ...options: string[]): Promise<{ key: KeyReport; apiKey: string; client: Client }> {
		const words = ['keys', 'create', account, '--name', 'test', ...options];
		const { api_key, ...key } = await this.ask<KeyReport & { api_key: string }>(...words);
		return { key, apiKey: api_key, client: new Client(this.#urls, api_key) };
	}

	log(account: string): Promise<LogEntry[]> {
		return this.ask<LogEntry[]>('log', '--account', account);
	}
}

/** The operator of the product that a whole run shares. */
export function sharedOperator(): Operator {
	const { operatorEnv, keys, urls } = sharedProduct();
	return new Operator(operatorEnv, dirname(keys), () => urls);
}
