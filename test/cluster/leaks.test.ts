import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { expectNoKey, expectNothingOf, expectStoreWithoutSecrets } from '../behaviour/leaks-search.ts';
import { runSession, type Secrets } from '../behaviour/leaks-session.ts';
import { everythingStored } from '../support/everything-stored.ts';
import { type Product, startProduct } from '../support/product.ts';
import { TraceCollector } from '../support/trace-collector.ts';
import { type Traffic, watchTraffic } from './traffic.ts';

describe('A dump of everything, cluster', () => {
	let product: Product;
	let secrets: Secrets;
	let traffic: Traffic;
	let collector: TraceCollector;

	beforeAll(async () => {
		collector = await TraceCollector.start();
		const env = { LOG_LEVEL: 'debug', OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
		product = await startProduct({ form: 'cluster', keys: { Unlimited: 1 }, env });
		traffic = await watchTraffic(product.redis!.url, product.nats!.url);
		secrets = await runSession(product);
		await traffic.end();
		await Promise.all(product.processes.map((one) => one.stop()));
	});
	afterAll(() => Promise.all([product?.stop(), collector?.stop()]));

	test('A2, W6: the database holds no key, and no webhook secret in clear', async () => {
		expectStoreWithoutSecrets(await everythingStored(product), secrets);
	});

	test('A2, A9: Redis holds no key and no personal data', () => {
		expect(traffic.redis.some((command) => command.includes('lock'))).toBe(true);
		expectNothingOf(Buffer.from(traffic.redis.join('\n')), secrets);
	});

	test('A2: the bus carries no key, only hashes', () => {
		expectNoKey(Buffer.concat(traffic.bus.map(({ data }) => data)), secrets);
	});

	test('A2, A9: the traces of all processes have no key, no secret and no personal data', () => {
		const names = new Set(collector.spans.map(({ name }) => name));
		for (const name of ['POST /v1/bookings', 'insertMany bookings', 'POST webhook']) expect(names).toContain(name);
		expectNothingOf(Buffer.from(collector.bodies.join('\n')), secrets);
	});

	test('A2, A9: the logs of all processes at debug have no key and no personal data', () => {
		const logs = product.processes.map(({ logFile }) => readFileSync(logFile));
		expect(logs.filter((log) => log.includes(secrets.requestId)).length).toBeGreaterThan(0);
		for (const log of logs) expectNothingOf(log, secrets);
	});
});
