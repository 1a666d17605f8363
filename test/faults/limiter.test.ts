import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { hammer } from '../support/hammer.ts';
import { Client } from '../support/http-client.ts';
import { type Product, startProduct } from '../support/product.ts';
import { whyNoCluster } from '../support/servers.ts';
import { until } from '../support/until.ts';

const GATEWAYS = 2;
const BURST = 10;
/** ms from Redis' return until it limits again (R5); on a machine that does other things it is only waited for */
const BACK_WITHIN = process.env.ALONE === '1' ? 2_000 : 20_000;
const missing = whyNoCluster();
const suite = missing === undefined ? describe : describe.skip;
const testAlone = process.env.ALONE === '1' ? test : test.skip;

suite(`R5: rate limits without Redis${missing ? ` (skipped: ${missing})` : ''}`, () => {
	let product: Product;
	beforeAll(async () => {
		product = await startProduct({ form: 'cluster', keys: { Starter: 12, Growth: 6 }, counts: { gateway: GATEWAYS } });
	}, 120_000);
	afterAll(() => product?.stop(), 60_000);

	const newAccount = (name: 'Starter' | 'Growth') => new Client(() => product.urls(), product.keys[name].pop());
	const signal = (name: NodeJS.Signals) => product.redis!.child.kill(name);

	/** How often the gateways said that Redis is away, and that it is back */
	function said(text: string): number {
		const logs = product.of('gateway').map((one) => readFileSync(one.logFile, 'utf8'));
		return logs.join('').split(text).length - 1;
	}

	/** Requests at once, the same number to each gateway; by their status. */
	async function rush(client: Client): Promise<Record<number, number>> {
		const sends = Array.from({ length: 60 }, () => client.get('/v1/services'));
		const statuses = (await Promise.all(sends)).map(({ status }) => status);
		return Object.fromEntries(
			[...Map.groupBy(statuses, (status) => status)].map(([status, all]) => [status, all.length]),
		);
	}

	/** Every test makes Redis fail in its way, and lets it come back. */
	const faults = [
		['stopped', async () => signal('SIGSTOP'), async () => signal('SIGCONT')],
		['killed', async () => signal('SIGKILL'), () => product.redis!.restart()],
	] as const;

	test.each(faults)(
		'R5: When Redis is %s, then nothing fails, each gateway limits on its own, and together again soon after',
		async (_, lose, bringBack) => {
			const [away, back] = [said('limits rates on its own'), said('limited over all gateways again')];
			const [before, during, after] = [newAccount('Starter'), newAccount('Starter'), newAccount('Starter')];
			for (const client of [before, during, after]) await client.get('/v1/bookings/abc').then(() => delay(250));

			const since = performance.now();
			const together = await rush(before);
			expect(Object.keys(together)).toEqual(['200', '429']);
			expect(together[200]).toBeLessThanOrEqual(BURST + (5 * (performance.now() - since)) / 1000 + 1);

			await lose();
			const running = hammer(newAccount('Starter'), 3_000);
			await until(async () => {
				await during.get('/v1/services');
				return said('limits rates on its own') === away + GATEWAYS;
			});
			await delay(2_000); // what the account had is full again
			const alone = await rush(during);
			expect(Object.keys(alone)).toEqual(['200', '429']);
			expect(alone[200]).toBeGreaterThanOrEqual(GATEWAYS * BURST);
			const attempts = await running;
			expect(new Set(attempts.map(({ status }) => status))).toEqual(new Set([200, 429]));
			expect(said('limits rates on its own')).toBe(away + GATEWAYS);

			await bringBack();
			const returned = performance.now();
			await until(() => said('limited over all gateways again') === back + GATEWAYS, { timeout: BACK_WITHIN });
			expect(performance.now() - returned).toBeLessThan(BACK_WITHIN);
			const afterwards = performance.now();
			const again = await rush(after);
			expect(Object.keys(again)).toEqual(['200', '429']);
			expect(again[200]).toBeLessThanOrEqual(BURST + (5 * (performance.now() - afterwards)) / 1000 + 1);
		},
	);

	testAlone.each(faults)('R5: When Redis is %s, then it costs ≤ 60 ms at p99 (ALONE=1)', async (_, lose, bringBack) => {
		const added: number[] = [];
		for (let round = 0; round < 3; round++) {
			const client = newAccount('Growth');
			const usual = p99(await hammer(client, 3_000));
			const running = hammer(client, 3_000);
			await delay(100);
			await lose();
			added.push(p99(await running) - usual);
			const back = said('limited over all gateways again');
			await bringBack();
			await until(() => said('limited over all gateways again') >= back + GATEWAYS, { timeout: 20_000 });
		}
		process.stdout.write(`added at p99: ${added.map((ms) => ms.toFixed(1)).join(', ')} ms\n`);
		expect(added.sort((a, b) => a - b)[1]).toBeLessThanOrEqual(60);
	});
});

function p99(attempts: { from: number; to: number }[]): number {
	const times = attempts.map(({ from, to }) => to - from).sort((a, b) => a - b);
	return times[Math.floor(times.length * 0.99)]!;
}
