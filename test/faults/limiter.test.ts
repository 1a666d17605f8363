import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { bound, isAlone } from '../support/bound.ts';
import { GatewayLimits } from '../support/gateway-limits.ts';
import { hammer } from '../support/hammer.ts';
import { Client } from '../support/http-client.ts';
import { type Product, startProduct } from '../support/product.ts';
import { whyNoCluster } from '../support/servers.ts';
import { until } from '../support/until.ts';

const GATEWAYS = 2;
const BURST = 10;
/** ms from Redis' return until it limits again (R5); on a machine that does other things it is only waited for */
const BACK_WITHIN = bound(2_000, 60_000);
const missing = whyNoCluster();
const suite = missing === undefined ? describe : describe.skip;
const testAlone = isAlone ? test : test.skip;

suite(`R5: rate limits without Redis${missing ? ` (skipped: ${missing})` : ''}`, () => {
	let product: Product;
	let limits: GatewayLimits;
	beforeAll(async () => {
		const env = { NAMESPACE: 'limits' };
		product = await startProduct({
			form: 'cluster',
			keys: { Starter: 40, Growth: 6 },
			counts: { gateway: GATEWAYS },
			env,
		});
		limits = await GatewayLimits.of(product, env.NAMESPACE);
	});
	afterAll(async () => {
		await limits?.stop();
		await product?.stop();
	});

	const newAccount = (name: 'Starter' | 'Growth') => new Client(() => product.urls(), product.keys[name].pop());
	const signal = (name: NodeJS.Signals) => product.redis!.child.kill(name);

	/** Requests of a new account at once, the same number to each gateway; by status, and the most that may pass together. */
	async function rushFresh(): Promise<{ statuses: Record<number, number>; most: number }> {
		const client = newAccount('Starter');
		await Promise.all([0, 1].map((gateway) => client.pinned(gateway).get('/v1/nothing'))); // connected
		const since = performance.now();
		const answers = await Promise.all(Array.from({ length: 60 }, () => client.get('/v1/services')));
		const most = BURST + (5 * (performance.now() - since)) / 1000 + 1;
		const groups = Map.groupBy(answers, ({ status }) => status);
		return { statuses: Object.fromEntries([...groups].map(([status, all]) => [status, all.length])), most };
	}

	/** Every test makes Redis fail in its way, and lets it come back. */
	const faults = [
		['stopped', async () => signal('SIGSTOP'), async () => signal('SIGCONT')],
		['killed', async () => signal('SIGKILL'), () => product.redis!.restart()],
	] as const;

	test.each(faults)(
		'R5: When Redis is %s, then nothing fails, each gateway limits on its own, and together again soon after',
		async (_, lose, bringBack) => {
			const before = await limits.undisturbed(rushFresh);
			const shared = before.result;
			expect(Object.keys(shared.statuses)).toEqual(['200', '429']);
			expect(shared.statuses[200]).toBeLessThanOrEqual(shared.most + before.alone);

			await lose();
			const running = hammer(newAccount('Starter'), 3_000);
			await until(async () => (await limits.countAlone()) === GATEWAYS, { what: 'both gateways to miss Redis' });
			const alone = await rushFresh();
			expect(Object.keys(alone.statuses)).toEqual(['200', '429']);
			expect(alone.statuses[200]).toBeGreaterThanOrEqual(GATEWAYS * BURST);
			const attempts = await running;
			expect(attempts.filter(({ status }) => status !== 200 && status !== 429)).toEqual([]);
			expect(attempts.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(BURST);
			expect(await limits.countAlone()).toBe(GATEWAYS);

			await bringBack();
			const returned = performance.now();
			await until(async () => (await limits.countAlone()) === 0, { timeout: BACK_WITHIN, what: 'shared limits' });
			expect(performance.now() - returned).toBeLessThan(BACK_WITHIN);
			const after = await limits.undisturbed(rushFresh);
			const again = after.result;
			expect(Object.keys(again.statuses)).toEqual(['200', '429']);
			expect(again.statuses[200]).toBeLessThanOrEqual(again.most + after.alone);
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
			await bringBack();
			await until(async () => (await limits.countAlone()) === 0);
		}
		process.stdout.write(`added at p99: ${added.map((ms) => ms.toFixed(1)).join(', ')} ms\n`);
		expect(added.sort((a, b) => a - b)[1]).toBeLessThanOrEqual(60);
	});
});

function p99(attempts: { from: number; to: number }[]): number {
	const times = attempts.map(({ from, to }) => to - from).sort((a, b) => a - b);
	return times[Math.floor(times.length * 0.99)]!;
}
