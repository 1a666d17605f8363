import { setTimeout as delay } from 'node:timers/promises';
import { HttpConnection } from '../clients/http-connection.ts';
import { GATEWAY_PORT } from '../cluster.ts';
import type { Random } from '../world/random.ts';
import type { SimProcess } from '../world/sim-process.ts';
import type { World } from '../world/world.ts';
import type { History, Operation } from './history.ts';
import { drawOperation, type Mix } from './mix.ts';
import { stepOf } from './steps.ts';
import type { Tenant } from './tenant.ts';

/** ms; longer than any request may take */
const PATIENCE = 13_000;

export type Wanted = Pick<Operation, 'method' | 'path' | 'query' | 'headers' | 'body' | 'mark' | 'foreign'>;

export interface ClientOptions {
	world: World;
	process: SimProcess;
	history: History;
	tenants: readonly Tenant[];
	own: Tenant;
	gateways: readonly string[];
	/** Addresses at which webhooks are received */
	receivers: readonly string[];
	mix: Mix;
}

/** One client of an account: it does at random what the API offers, and tries what belongs to others. */
export class Client {
	readonly own: Tenant;
	readonly tenants: readonly Tenant[];
	readonly random: Random;
	readonly mix: Mix;
	readonly receivers: readonly string[];
	readonly #process: SimProcess;
	readonly #history: History;
	readonly #open: (host: string) => HttpConnection;
	readonly #idle: Map<string, HttpConnection[]>;
	#marks = 0;

	constructor({ world, process, history, tenants, own, gateways, receivers, mix }: ClientOptions) {
		this.own = own;
		this.tenants = tenants;
		this.random = process.random;
		this.mix = mix;
		this.receivers = receivers;
		this.#process = process;
		this.#history = history;
		this.#open = (host) => new HttpConnection(world.network, process, host, GATEWAY_PORT);
		this.#idle = new Map(gateways.map((host) => [host, []]));
	}

	async act(until: number): Promise<void> {
		while (this.#process.time < until) {
			await this.#step();
			// Now and then many do something at the same moment.
			const { time } = this.#process;
			const pause = this.random.chance(0.5) ? Math.ceil((time + 1) / 50) * 50 - time : undefined;
			await delay(pause ?? this.random.exponential(this.mix.pause));
		}
	}

	/** @returns the operation, with what was answered */
	async ask(wanted: Wanted): Promise<Operation> {
		const { name } = this.#process;
		const { key, account } = this.own;
		const operation = this.#history.begin({ client: name, account, ...wanted, began: this.#process.time });
		const search = wanted.query ? `?${new URLSearchParams(wanted.query as Record<string, string>)}` : '';
		const headers = { authorization: `Bearer ${key}`, ...wanted.headers };
		const idle = this.#idle.get(this.random.pick([...this.#idle.keys()]))!;
		const connection = idle.pop() ?? this.#open([...this.#idle].find(([, each]) => each === idle)![0]);
		const { method, path, body } = wanted;
		operation.answer = await connection.request(method, path + search, headers, body, PATIENCE);
		operation.ended = this.#process.time;
		idle.push(connection);
		return operation;
	}

	/** Again where nobody knows what came of it, or the first one is still under way. */
	async insist(wanted: Wanted, again = 2): Promise<Operation> {
		let asked = await this.ask(wanted);
		for (; again > 0 && isWorthARetry(asked); again--) {
			await delay(this.random.exponential(500));
			asked = await this.ask(wanted);
		}
		return asked;
	}

	/** A text that nothing else writes. */
	mark(): string {
		return `${this.#process.name}.${++this.#marks}`;
	}

	async #step(): Promise<void> {
		const isForeign = this.random.chance(this.mix.foreign);
		const of = isForeign ? this.random.pick(this.tenants.filter((tenant) => tenant !== this.own)) : this.own;
		const operation = drawOperation(this.random, this.mix);
		await stepOf(operation)(this, of);
	}
}

function isWorthARetry({ answer }: Operation): boolean {
	return answer === undefined || answer.status >= 500 || (answer.status === 409 && 'retry-after' in answer.headers);
}
