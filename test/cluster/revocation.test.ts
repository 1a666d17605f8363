import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { call } from '../../shared/bus/call.ts';
import type { Service } from '../../shared/contract/schemas/service.ts';
import { bound } from '../support/bound.ts';
import { expectError } from '../support/expectations.ts';
import { Client } from '../support/http-client.ts';
import { leave, nodeOn, Operator, runHere } from '../support/operator.ts';
import { type Product, startProduct } from '../support/product.ts';
import { ProductProcess } from '../support/product-process.ts';
import { createService } from '../support/scheduling.ts';
import { TcpProxy } from '../support/tcp-proxy.ts';
import { until } from '../support/until.ts';

/**
 * ms in which a change holds at every gateway (promise A3, contract §11). The 5 s are for a machine that does nothing
 * else (ALONE=1).
 */
const EVERYWHERE_WITHIN = bound(5_000, 30_000);

describe('A change by an operator, and four gateways, one of them behind a line that can be cut', () => {
	let product: Product;
	let operator: Operator;
	let proxy: TcpProxy;
	let remote: ProductProcess;
	const urls = () => [...product.urls(), remote.url!];

	beforeAll(async () => {
		const env = { NAMESPACE: `rev${randomBytes(4).toString('hex')}` };
		product = await startProduct({ form: 'cluster', keys: { Unlimited: 1 }, counts: { gateway: 3 }, env });
		proxy = await TcpProxy.to(product.nats!.port);
		const behind = { NATS_URL: proxy.url(product.nats!.url), ADMIN_PORT: '0', LOG_FORMAT: 'json', SERVICES: 'gateway' };
		const variables = { ...product.operatorEnv, ...behind };
		remote = await ProductProcess.start('gateway-remote', ['gateway'], variables, product.directory);
		await remote.ready();
		operator = new Operator(product.operatorEnv, product.directory, urls, runHere(product.operatorEnv));
	});
	afterAll(async () => {
		await leave();
		await remote?.stop();
		await proxy?.close();
		await product?.stop();
	});

	/** One client of each gateway, which has just looked the key up. */
	async function warm(apiKey: string): Promise<Client[]> {
		const clients = urls().map((url) => new Client([url], apiKey));
		for (const client of clients) (await client.get('/v1/services')).mustBe(200);
		return clients;
	}

	/** Waits until each gateway refuses it, and returns the ms that the last one took. */
	async function refusedBy(clients: Client[], status: number, error: string): Promise<number> {
		const start = performance.now();
		await Promise.all(clients.map((client) => until(async () => (await client.get('/v1/services')).status === status)));
		const took = performance.now() - start;
		for (const client of clients) expectError(await client.get('/v1/services'), status, error);
		return took;
	}

	test('A3: When an operator revokes a key, then no gateway takes it any more', async () => {
		const { id } = await operator.createAccount();
		const { key, apiKey } = await operator.createKey(id);
		const clients = await warm(apiKey);
		const refreshing = setInterval(() => void Promise.all(clients.map((client) => client.get('/v1/services'))), 100);
		await operator.ask('keys', 'revoke', key.id);
		clearInterval(refreshing);
		expect(await refusedBy(clients, 401, 'invalid API key')).toBeLessThan(EVERYWHERE_WITHIN);
	});

	test('A3: When the broadcast does not reach a gateway, then it refuses the key when its cache ends', async () => {
		const { id } = await operator.createAccount();
		const { key, apiKey } = await operator.createKey(id);
		const clients = await warm(apiKey);
		const [cutOff] = clients.slice(-1);
		await proxy.set({ kind: 'cut' });
		await call(await nodeOn(product.operatorEnv), 'accounts.revokeKey', { key_id: key.id });
		const revoked = performance.now();
		await refusedBy(clients.slice(0, -1), 401, 'invalid API key');
		await proxy.set({ kind: 'none' });

		// A request that waits for the bus must not hold up the next one: what counts is when the last one began that passed.
		let lastPassed = revoked;
		const probe = async () => {
			const began = performance.now();
			const { status } = await cutOff!.get('/v1/services');
			if (status === 200) lastPassed = Math.max(lastPassed, began);
			return status;
		};
		const probes: Promise<number>[] = [];
		const probing = setInterval(() => probes.push(probe()), 100);
		await until(async () => (await probe()) === 401, { what: 'the gateway that was cut off' });
		clearInterval(probing);
		await Promise.all(probes);
		expect(lastPassed - revoked).toBeLessThan(EVERYWHERE_WITHIN);
		expect([401, 429]).toContain(await probe()); // who was refused so often is told to wait
	});

	test('When an account is suspended and resumed, then every gateway follows', async () => {
		const { id } = await operator.createAccount();
		const clients = await warm((await operator.createKey(id)).apiKey);
		await operator.ask('accounts', 'suspend', id);
		expect(await refusedBy(clients, 403, 'account suspended')).toBeLessThan(EVERYWHERE_WITHIN);
		await operator.ask('accounts', 'resume', id);
		for (const client of clients) await until(async () => (await client.get('/v1/services')).status === 200);
	});

	test('When an account changes its plan, or the plan changes, then every gateway and catalog follow', async () => {
		const { id } = await operator.createAccount('Starter');
		const clients = await warm((await operator.createKey(id)).apiKey);
		const service = await createService(clients[0]!);
		const shown = async (client: Client) =>
			(await client.get<Service>(`/v1/services/${service.id}`)).mustBe(200).provider.package;
		await operator.ask('accounts', 'set', id, '--package', 'Growth');
		for (const client of clients) await until(async () => (await shown(client)).name === 'Growth');
		await operator.ask('packages', 'set', 'Growth', '--rate', '41', '--burst', '83', '--services', '7');
		for (const client of clients) {
			await until(async () => (await client.get('/v1/services')).headers['x-ratelimit-limit'] === '83');
			const plan = await until(async () => (await shown(client)).services_limit === 7 && shown(client));
			expect(plan.rate_limit_per_second).toBe(41);
		}
	});

	test('When `log` is asked on a cluster, then it has all of it, oldest first, and the plan under no account', async () => {
		const entries = await operator.ask<{ at: string; event: string; account_id: string | null }[]>('log');
		const times = entries.map(({ at }) => at);
		expect(times).toEqual([...times].sort());
		const ofPlan = entries.filter(({ event }) => event === 'package.changed');
		expect(ofPlan.map(({ account_id }) => account_id)).toEqual([null]);
		expect(entries.filter(({ event }) => event === 'key.revoked')).toHaveLength(2);
	});
});
