import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { operations } from '../../services/gateway/operations/index.ts';
import { askAdmin } from '../support/ask-admin.ts';
import { isAlone } from '../support/bound.ts';
import { Client } from '../support/http-client.ts';
import { leave, Operator, runHere } from '../support/operator.ts';
import { type Form, type Product, startProduct } from '../support/product.ts';
import { until } from '../support/until.ts';
import { Attack } from './bystanders/attack.ts';
import { Bystander, type Figures } from './bystanders/bystander.ts';
import { everyDearest } from './bystanders/dearest.ts';
import { dearWorld } from './bystanders/world.ts';

const testAlone = isAlone ? test : test.skip;

/** Bookings of the account that asks for much: beside other load its figures do not count, so it has few */
const BOOKINGS = isAlone ? 5_000 : 250;
/** Requests that it has under way at once */
const LOOPS = 4;
/** Requests of the bystander that must be served meanwhile */
const SERVED = 5;
/** ms for which the bystander is watched, before and meanwhile, and how often; the medians count */
const WATCH = 300;
const ROUNDS = 3;
/** ms, where what a plan allows in a second is watched */
const SUSTAINED = 1_000;
/** How many times as long the bystander may wait, and ms that the event loop may be held up for (promise X7) */
const P50 = 3;
const P99 = 10;
const HELD_UP = 50;

const names = Object.keys(everyDearest);

describe('X7: what one account asks for, and what that costs another', () => {
	let product: Product;
	let attack: Attack;
	let bystander: Bystander;

	beforeAll(async () => {
		const form = (process.env.FORM ?? 'embedded') as Form;
		product = await startProduct({ form, keys: { Growth: 1, Unlimited: 1 }, directLogs: true });
		const [attacker, other] = [product.keys.Growth![0]!, product.keys.Unlimited![0]!];
		await plan('--rate', 'none', '--burst', 'none');
		const world = await dearWorld(new Client(() => product.urls(), attacker), BOOKINGS);
		attack = new Attack(product.urls(), attacker, world);
		bystander = await Bystander.settle(new Client(() => product.urls(), other));
	});
	afterAll(async () => {
		attack?.end();
		await leave();
		await product?.stop();
	});

	test('X7: When an operation is in the table, then it takes part here', () => {
		const asked = new Set(names.map((name) => name.split(',')[0]));
		expect(operations.map(({ id }) => id).filter((id) => !asked.has(id))).toEqual([]);
	});

	test.each(names)(
		'X7: When an account sends %s all the time, then it is answered, and others are served',
		async (name) => {
			const [, answers] = await attack.beside(name, LOOPS, async () => {
				for (let asked = 0; asked < SERVED; asked++) await bystander.ask();
			});
			// None that is refused before it costs anything
			const served = [200, 201, 202, 404];
			expect(Object.keys(answers).filter((status) => !served.includes(Number(status)))).toEqual([]);
			expect(Object.keys(answers)).not.toEqual([]);
		},
	);

	testAlone.each(names)(
		'X7: When an account without a rate sends %s all the time, then the event loop is held up below 50 ms (ALONE=1)',
		async (name) => {
			// What others wait is not judged: the attacker itself takes a core, where there are two.
			expect((await figuresBeside(name)).heldUp).toBeLessThan(HELD_UP);
		},
	);

	describe('of a plan with a rate', () => {
		beforeAll(async () => {
			if (isAlone) await plan('--rate', '20', '--burst', '50');
		});

		testAlone.each(names)(
			'X7: When it sends %s as often as it may, then p50 of others stays below 3 × and p99 below 10 × (ALONE=1)',
			async (name) => {
				await attack.beside(name, LOOPS, () => delay(WATCH)); // what the plan allows at once
				const figures = await figuresBeside(name, SUSTAINED);
				expect(figures.p50).toBeLessThan(P50);
				expect(figures.p99).toBeLessThan(P99);
				expect(figures.heldUp).toBeLessThan(HELD_UP);
			},
		);
	});

	/** How many times as long the bystander waits, in ms how long the event loop was held up: medians of the rounds */
	async function figuresBeside(name: string, ms = WATCH): Promise<Figures & { heldUp: number }> {
		const [p50, p99, heldUp]: number[][] = [[], [], []];
		for (let round = 0; round < ROUNDS; round++) {
			const quiet = await bystander.watch(ms);
			await longestDelays();
			const [beside] = await attack.beside(name, LOOPS, () => bystander.watch(ms));
			p50!.push(beside.p50 / quiet.p50);
			p99!.push(beside.p99 / quiet.p99);
			heldUp!.push(...(await longestDelays()));
		}
		const figures = { p50: median(p50!), p99: median(p99!), heldUp: median(heldUp!) };
		if (process.env.SHOW === '1') process.stderr.write(`${name}: ${JSON.stringify(figures)}\n`);
		return figures;
	}

	/** Changes the plan of the account that asks for much; 5 s is what a gateway may take to follow it. */
	async function plan(...options: string[]): Promise<void> {
		const { operatorEnv, directory } = product;
		const operator = new Operator(operatorEnv, directory, () => product.urls(), runHere(operatorEnv));
		const words = ['packages', 'set', 'Growth', ...options];
		await until(() => operator.ask(...words), { interval: 1_000, what: words.join(' ') });
		await delay(5_000);
	}

	/** ms for which the event loop of each process was held up at most since this was asked last */
	async function longestDelays(): Promise<number[]> {
		return Promise.all(
			product.processes.map(async ({ adminUrl }) => {
				const metrics = await (await askAdmin(`${adminUrl}/metrics`)).text();
				return Number(/^nodejs_eventloop_lag_max_seconds\S* (\S+)$/m.exec(metrics)![1]) * 1000;
			}),
		);
	}
});

function median(values: number[]): number {
	return values.sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
}
