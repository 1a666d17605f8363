import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Answer, Client } from '../../support/http-client.ts';
import { type Product, startProduct } from '../../support/product.ts';
import type { ProductProcess } from '../../support/product-process.ts';
import { type Place, slotOn } from '../../support/scheduling.ts';
import { until } from '../../support/until.ts';
import { type OwnDatabase, ownDatabase } from '../database.ts';
import type { CrashRequest, CrashScenario } from './crash-scenarios.ts';

const PRELOAD = resolve(import.meta.dirname, '../../faults/sabotage/die-at-moment.ts');
/** A part more than there are moments until the answer: a process that dies right after it loses nothing either */
const BEYOND = 1.1;

/** The product, whose processes die where a request's id says so: see `die-at-moment.ts`. */
export class Mortal {
	readonly product: Product;
	readonly #client: Client;
	readonly #place: Place;
	/** Services of the process that dies, as in the request's id */
	readonly #services: string;
	readonly #database: OwnDatabase | undefined;
	#point = 0;

	private constructor(
		product: Product,
		client: Client,
		place: Place,
		services: string,
		database: OwnDatabase | undefined,
	) {
		this.#database = database;
		this.product = product;
		this.#client = client;
		this.#place = place;
		this.#services = services;
	}

	/** Embedded the only process is to die, in a cluster one of two that run booking. */
	static async start(form: 'embedded' | 'cluster'): Promise<Mortal> {
		const env = { NODE_OPTIONS: `--import ${PRELOAD}` };
		const database = form === 'cluster' ? await ownDatabase() : undefined;
		if (database) process.env.TEST_MONGO_URL = database.url;
		const product = await startProduct({ form, keys: { Unlimited: 1 }, counts: { booking: 2 }, env });
		const client = new Client(() => product.urls(), product.keys.Unlimited[0]);
		return new Mortal(product, client, await slotOn(client), form === 'embedded' ? 'all' : 'booking', database);
	}

	/** How many moments the request has until its answer. */
	async moments(scenario: CrashScenario): Promise<number> {
		const [warm, counted] = [await this.#prepare(scenario), await this.#prepare(scenario)];
		await warm.send(this.#client, {});
		const id = this.#id(0);
		await counted.send(this.#client, { 'x-request-id': id });
		const line = await until(() => this.#lines().find((one) => one.includes(`"msg":"moments","request":"${id}"`)));
		return (JSON.parse(line) as { moments: number }).moments;
	}

	/** The process dies at this moment of a request, which is then sent again. @throws where it did not happen once */
	async dieAt(scenario: CrashScenario, moment: number): Promise<void> {
		const request = await this.#prepare(scenario);
		let first: Answer | undefined;
		const sending = request.send(this.#client, { 'x-request-id': this.#id(moment) }).then(
			(answer) => {
				first = answer;
			},
			() => {},
		);
		const dead = await until(() => this.#victims.find((one) => one.ended), { what: 'a death' });
		assert.equal(await dead.exited, 'SIGKILL');
		if (this.product.form === 'embedded') await Promise.all([sending, revive(dead)]);
		const again = await until(() => this.#send(request), { what: 'an answer' });
		if (this.product.form === 'cluster') await revive(dead);
		await request.verify(this.#client, first && first.status < 500 ? first : undefined, again);
	}

	async stop(): Promise<void> {
		await this.product.stop();
		await this.#database?.end();
	}

	get #victims(): ProductProcess[] {
		return this.#services === 'all' ? this.product.processes : this.product.of('booking');
	}

	/** A refusal that asks to try again later, or no connection, is no answer. */
	async #send(request: CrashRequest): Promise<Answer | undefined> {
		const answer = await request.send(this.#client, {});
		return answer.status >= 500 || answer.status === 409 ? undefined : answer;
	}

	#prepare(scenario: CrashScenario): Promise<CrashRequest> {
		return scenario.prepare(this.#client, this.#place, ++this.#point);
	}

	#id(moment: number): string {
		return `die.${this.#services}.${moment}.${this.#point}`;
	}

	#lines(): string[] {
		return this.#victims.flatMap(({ logFile }) => readFileSync(logFile, 'utf8').split('\n'));
	}
}

async function revive(process: ProductProcess): Promise<void> {
	await process.restart();
	await process.ready();
}

/**
 * Moments from 1 to a few after the answer.
 * @param count how many, evenly spread; `all`
 */
export function spread(moments: number, count: number | 'all'): number[] {
	const last = Math.ceil(BEYOND * moments);
	const points = count === 'all' ? last : Math.min(last, count);
	return Array.from({ length: points }, (_, index) => Math.max(1, Math.round(((index + 1) * last) / points)));
}
