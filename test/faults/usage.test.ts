import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Usage } from '../../shared/contract/schemas/usage.ts';
import { Client } from '../support/http-client.ts';
import { leave, Operator, runHere } from '../support/operator.ts';
import { type Form, type Product, startProduct } from '../support/product.ts';
import { newCustomer, slotOn, tryToBook } from '../support/scheduling.ts';
import { whyNoCluster } from '../support/servers.ts';
import { until } from '../support/until.ts';

const NAMESPACE = `usage${randomBytes(4).toString('hex')}`;
const missing = whyNoCluster();

/** Two booking processes and two gateways, or one process of all. */
function suite(form: Form): void {
	let product: Product;
	let client: Client;
	let account: string;

	/** Runs a command. @returns its data */
	async function operate(...words: string[]): Promise<Record<string, unknown>> {
		const { operatorEnv, directory } = product;
		const operator = new Operator(operatorEnv, directory, () => product.urls(), runHere(operatorEnv));
		return until(() => operator.ask<Record<string, unknown>>(...words), { interval: 1_000, what: words.join(' ') });
	}

	/** What an operator sees: what was recorded, and no request of the account's. */
	const recorded = async () => (await operate('usage', account)) as unknown as Usage;

	/** Changes the plan. Nothing shows when a gateway or the quota of bookings follows it: 5 s is what contract §11 gives. */
	async function plan(...options: string[]): Promise<void> {
		await change(...options);
		await delay(5_000);
	}

	const change = (...options: string[]) => operate('packages', 'set', 'Growth', ...options);

	async function requests(count: number): Promise<number[]> {
		const answers = await Promise.all(Array.from({ length: count }, () => client.get('/v1/services')));
		return answers.map(({ status }) => status);
	}

	/** Ends every process at once, and starts them again. */
	async function restart(signal: NodeJS.Signals): Promise<void> {
		for (const one of product.processes) one.kill(signal);
		for (const one of product.processes) await one.restart();
		for (const one of product.processes) await one.ready();
	}

	beforeAll(async () => {
		product = await startProduct({ form, keys: { Growth: 1 }, counts: { booking: 2, gateway: 2 }, env: { NAMESPACE } });
		client = new Client(() => product.urls(), product.keys.Growth[0]);
		const [only] = (await operate('accounts', 'list')) as unknown as { id: string }[];
		account = only!.id;
		await plan('--rate', 'none', '--burst', 'none', '--overages', 'no', '--bookings', '60');
	});
	afterAll(async () => {
		await leave();
		await product?.stop();
	});

	test('R7: When everything is stopped and started again, then no request is missing', async () => {
		await requests(100);
		await restart('SIGTERM');
		expect((await recorded()).requests.used).toBe(100);
	});

	test('R7: When everything is killed, then only what was not yet reported is missing', async () => {
		await requests(50);
		await until(async () => (await recorded()).requests.used === 150, { what: 'the report' });
		await requests(30);
		await restart('SIGKILL');
		const { used } = (await recorded()).requests;
		expect(used).toBeGreaterThanOrEqual(150);
		expect(used).toBeLessThanOrEqual(180);
		await requests(10);
		await until(async () => (await recorded()).requests.used === used + 10, { what: 'the report' });
	});

	test('When the requests of the month are used up, then 429 until its end; with overages they go on and are counted', async () => {
		const { used } = (await recorded()).requests;
		await plan('--requests', String(used + 40));
		const statuses = await requests(100);
		const served = statuses.filter((status) => status === 200).length;
		expect(served).toBeGreaterThanOrEqual(40);
		if (form === 'embedded') expect(served).toBe(40); // one gateway is exact
		const refusal = await until(async () => {
			const answer = await client.get('/v1/usage');
			return answer.status === 429 && answer;
		});
		const { code, retry_after } = refusal.error as unknown as { code: string; retry_after: number };
		const left = (Date.parse((await recorded()).resets_at) - Date.now()) / 1000;
		expect(code).toBe('rate_limit_exceeded');
		expect(Math.abs(retry_after - left)).toBeLessThan(120);
		expect(refusal.headers['retry-after']).toBe(String(retry_after));

		await plan('--overages', 'yes');
		expect(await requests(10)).toEqual(Array(10).fill(200));
		const after = await until(async () => {
			const usage = await recorded();
			return usage.requests.overage >= 10 && usage;
		});
		expect(after.requests.overage).toBe(after.requests.used - used - 40);
		// Whoever does not follow it yet serves everything, too.
		await change('--requests', 'none', '--overages', 'no');
	});

	test('R7: When the bookings of the month run out under load, then exactly so many are made, also after a restart', async () => {
		const places = await Promise.all([1, 2, 3].map(() => slotOn(client, { max_bookings: 45 })));
		const book = (count: number) =>
			Promise.all(Array.from({ length: count }, (_, at) => tryToBook(client, places[at % 3]!, newCustomer())));
		const answers = await book(150);
		expect(answers.filter(({ status }) => status === 201)).toHaveLength(60);
		const refused = answers.filter(({ status }) => status !== 201);
		expect(new Set(refused.map(({ text }) => text))).toEqual(
			new Set(['{"error":"rate limit exceeded","code":"booking_rate_limit_exceeded"}']),
		);
		await restart('SIGTERM');
		expect(new Set((await book(6)).map(({ status }) => status))).toEqual(new Set([429]));
		expect((await recorded()).bookings).toMatchObject({ used: 60, remaining: 0 });
	});

	test('R7: When the slot is full for some of them, then the quota is there for others', async () => {
		await plan('--bookings', '80');
		const small = await slotOn(client, { max_bookings: 5 });
		const large = await slotOn(client, { max_bookings: 100 });
		await Promise.all(Array.from({ length: 60 }, () => tryToBook(client, small, newCustomer())));
		await until(async () => (await recorded()).bookings.used === 65, { what: 'the rest to be given back' });
		const answers = await Promise.all(Array.from({ length: 40 }, () => tryToBook(client, large, newCustomer())));
		expect(answers.filter(({ status }) => status === 201)).toHaveLength(15);
	});
}

describe('monthly counters, embedded', () => suite('embedded'));
(missing === undefined ? describe : describe.skip)(
	`monthly counters, cluster${missing ? ` (skipped: ${missing})` : ''}`,
	() => suite('cluster'),
);
