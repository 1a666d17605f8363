import { dirname } from 'node:path';
import { afterAll } from '@jest/globals';
import type { ServiceBroker } from 'moleculer';
import { answerAtOnce, execute, printed } from '../../ops/channel/execute.ts';
import { askEmbedded } from '../../ops/channel/reach-process.ts';
import type { AccountReport, KeyReport, LogEntry } from '../../shared/contract/account-reports.ts';
import { joinAsOperator } from '../cluster/operator-node.ts';
import { type Ended, opsWith } from '../ops/ops.ts';
import { Client } from './http-client.ts';
import { sharedProduct } from './shared-product.ts';

type Run = (words: string[]) => Promise<Ended>;

/** An operator of a product: each command is a process of its own, as in real life, unless `run` does it otherwise. */
export class Operator {
	readonly #run: Run;
	readonly #urls: () => string[];

	/**
	 * @param env what the commands need to reach the product
	 * @param directory where they run: not the checkout, whose .env is no part of a test
	 * @param urls addresses of its gateways
	 */
	constructor(env: Record<string, string>, directory: string, urls: () => string[], run?: Run) {
		this.#run = run ?? ((words) => opsWith(env, directory, words));
		this.#urls = urls;
	}

	run(...words: string[]): Promise<Ended> {
		return this.#run(words);
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

const nodes = new Map<string, ReturnType<typeof joinAsOperator>>();

/**
 * Runs commands as `ops` does, over the same socket or bus, but in this process, for the start of another takes a second or
 * two. test/ops has the process.
 */
export function runHere(env: Record<string, string>): Run {
	const reach = async (words: string[]) =>
		env.DATA_DIR === undefined ? execute(await nodeOn(env), words) : askEmbedded(env.DATA_DIR, words);
	return async (words) => {
		const answer = (await answerAtOnce(words)) ?? (await reach(words));
		const { to, text } = printed(answer);
		return { code: answer.exitCode, stdout: '', stderr: '', [to]: text };
	};
}

/** The node of this process on a cluster's bus: it can have one, for its id is made of the process'. */
export async function nodeOn(env: Record<string, string>): Promise<ServiceBroker> {
	const id = JSON.stringify(env);
	const node = nodes.get(id) ?? joinAsOperator(env);
	nodes.set(id, node);
	return (await node).broker;
}

/** Leaves each bus that was joined; needed only where the bus ends before the tests of the file do. */
export async function leave(): Promise<void> {
	const joined = [...nodes.values()];
	nodes.clear();
	for (const node of joined) await (await node).stop();
}
afterAll(leave);

/** The operator of the product that a whole run shares. */
export function sharedOperator(): Operator {
	const { operatorEnv, keys, urls } = sharedProduct();
	return new Operator(operatorEnv, dirname(keys), () => urls, runHere(operatorEnv));
}
