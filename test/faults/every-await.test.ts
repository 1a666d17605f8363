import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Answer, Client } from '../support/http-client.ts';
import { type Product, startProduct } from '../support/product.ts';
import type { ProductProcess } from '../support/product-process.ts';
import { type Place, slotOn } from '../support/scheduling.ts';
import { whyNoCluster } from '../support/servers.ts';
import { until } from '../support/until.ts';
import { type CrashRequest, type CrashScenario, scenarios } from './crash-scenarios.ts';

/** Moments of each request at which a process dies, spread over all of them; nightly `all` */
const POINTS = process.env.CRASH_POINTS ?? '15';
/** Of the requests that are not creations of bookings, a third */
const FEWER = POINTS === 'all' ? POINTS : String(Math.ceil(Number(POINTS) / 3));
/** A part more than there are moments until the answer: a process that dies right after it loses nothing either */
const BEYOND = 1.1;
const NODE_OPTIONS = `--import ${import.meta.dirname}/sabotage/die-at-moment.ts`;

/** The product, whose processes die where a request's id says so. */
class Mortal {
	readonly product: Product;
	readonly client: Client;
	readonly place: Place;
	/** Services of the process that dies, as in the request's id */
	readonly #services: string;
	#point = 0;

	private constructor(product: Product, client: Client, place: Place, services: string) {
		this.product = product;
		this.client = client;
		this.place = place;
		this.#services = services;
	}

	static async start(form: 'embedded' | 'cluster'): Promise<Mortal> {
		const product = await startProduct({
			form,
			keys: { Unlimited: 1 },
			counts: { booking: 2 },
			env: { NODE_OPTIONS },
		});
		const client = new Client(() => product.urls(), product.keys.Unlimited[0]);
		const place = await slotOn(client);
		return new Mortal(product, client, place, form === 'embedded' ? 'all' : 'booking');
	}

	get #victims(): ProductProcess[] {
		return this.#services === 'all' ? this.product.processes : this.product.of('booking');
	}

	/** How many moments the request has until its answer. */
	async moments(scenario: CrashScenario): Promise<number> {
		const [warm, counted] = [await this.#prepare(scenario), await this.#prepare(scenario)];
		await warm.send(this.client, {});
		const id = this.#id(0);
		await counted.send(this.client, { 'x-request-id': id });
		const line = await until(() => this.#lines().find((one) => one.includes(`"msg":"moments","request":"${id}"`)));
		return (JSON.parse(line) as { moments: number }).moments;
	}

	/** One process dies at this moment of a request, which is then sent again, and looked at. */
	async dieAt(scenario: CrashScenario, moment: number): Promise<void> {
		const request = await this.#prepare(scenario);
		const sending = request.send(this.client, { 'x-request-id': this.#id(moment) }).catch(() => undefined);
		const dead = await until(() => this.#victims.find((one) => one.ended), { what: 'a death', timeout: 30_000 });
		expect(await dead.exited).toBe('SIGKILL');
		if (this.product.form === 'embedded') await revive(dead);
		const again = await until(() => this.#send(request), { what: 'an answer', timeout: 30_000 });
		if (this.product.form === 'cluster') await revive(dead);
		const first = await Promise.race([sending, undefined]);
		await request.verify(this.client, wasAnswered(first) ? first : undefined, again);
	}

	stop(): Promise<void> {
		return this.product.stop();
	}

	/** A refusal that asks to try again later, or no connection, is no answer. */
	async #send(request: CrashRequest): Promise<Answer | undefined> {
		const answer = await request.send(this.client, {});
		return answer.status >= 500 || answer.status === 409 ? undefined : answer;
	}

	#prepare(scenario: CrashScenario): Promise<CrashRequest> {
		return scenario.prepare(this.client, this.place, ++this.#point);
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

function wasAnswered(answer: Answer | undefined): answer is Answer {
	return answer !== undefined && answer.status < 500;
}

/** Numbers from 1 to `last`: all of them, or so many, evenly. */
function spread(last: number, points: string): number[] {
	const count = points === 'all' ? last : Math.min(last, Number(points));
	return Array.from({ length: count }, (_, index) => Math.max(1, Math.round(((index + 1) * last) / count)));
}

const missing = whyNoCluster();
const forms = [
	{ form: 'embedded', dies: 'the process', suite: describe },
	{ form: 'cluster', dies: 'one of two booking processes', suite: missing === undefined ? describe : describe.skip },
] as const;

for (const { form, dies, suite } of forms) {
	const skipped = suite === describe ? '' : ` (skipped: ${missing})`;
	suite(`I1: ${dies} dies at any await, ${form}${skipped}`, () => {
		let mortal: Mortal;
		beforeAll(async () => {
			mortal = await Mortal.start(form);
		}, 120_000);
		afterAll(() => mortal?.stop(), 60_000);

		const behindBooking = [scenarios.create, scenarios.confirm, scenarios.remove];
		test.each(form === 'embedded' ? [...behindBooking, scenarios.createService] : behindBooking)(
			`I1: When ${dies} dies at any await of $name and the request is sent again, then it happened once`,
			async (scenario) => {
				const moments = await mortal.moments(scenario);
				const points = spread(Math.ceil(BEYOND * moments), scenario === scenarios.create ? POINTS : FEWER);
				process.stdout.write(`${form}, ${scenario.name}: ${moments} moments, ${points.length} deaths\n`);
				expect(moments).toBeGreaterThan(50);
				for (const moment of points) await mortal.dieAt(scenario, moment);
			},
			POINTS === 'all' ? 4 * 3_600_000 : 600_000,
		);
	});
}
