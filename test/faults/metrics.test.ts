import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Scrape, scrape } from '../metrics/scrape.ts';
import { Client } from '../support/http-client.ts';
import { type Product, startProduct } from '../support/product.ts';
import { slotOn, tryToBook } from '../support/scheduling.ts';
import { whyNoCluster } from '../support/servers.ts';
import { TcpProxy } from '../support/tcp-proxy.ts';
import { until } from '../support/until.ts';

const missing = whyNoCluster();
const suite = missing === undefined ? describe : describe.skip;

suite(`the metrics while something is away${missing ? ` (skipped: ${missing})` : ''}`, () => {
	let product: Product;
	let redis: TcpProxy;
	let mongo: TcpProxy;
	let client: Client;
	let place: Awaited<ReturnType<typeof slotOn>>;

	beforeAll(async () => {
		product = await startProduct({
			form: 'cluster',
			keys: { Growth: 1 },
			through: async (urls) => {
				redis = await TcpProxy.to(Number(new URL(urls.redis).port));
				mongo = await TcpProxy.to(Number(new URL(urls.mongo).port));
				return { ...urls, redis: redis.url(urls.redis), mongo: mongo.url(urls.mongo) };
			},
		});
		client = new Client(() => product.urls(), product.keys.Growth[0]);
		place = await slotOn(client, { max_bookings: 100 });
	});
	afterAll(async () => {
		await product?.stop();
		await Promise.all([redis?.close(), mongo?.close()]);
	});

	const of = (service: 'booking' | 'gateway') => scrape(product.of(service).map(({ adminUrl }) => adminUrl));
	const names = ({ samples }: Scrape) => samples.map(({ name }) => name);
	const degraded = async () => [
		(await of('booking')).sum('slotwise_lock_degraded', {}),
		(await of('gateway')).sum('slotwise_rate_limit_degraded', {}),
	];

	test('R5, L4: When Redis is cut off, then lock and limiter say so, and that it is back', async () => {
		await until(async () => (await degraded()).join() === '0,0');
		await redis.set({ kind: 'cut' });
		await until(async () => {
			await tryToBook(client, place);
			return (await degraded()).join() === '1,1';
		});
		expect((await tryToBook(client, place)).status).toBe(201);
		expect((await of('booking')).sum('slotwise_lock_free_total', { reason: 'unavailable' })).toBeGreaterThan(0);
		expect((await of('gateway')).sum('slotwise_rate_limit_alone_total', {})).toBeGreaterThan(0);
		await redis.set({ kind: 'none' });
		await until(async () => (await degraded()).join() === '0,0');
	});

	test('When the database hangs, then a scrape leaves out what lies there and has the rest', async () => {
		expect(names(await of('booking'))).toContain('slotwise_outbox_waiting');
		await mongo.set({ kind: 'hang' });
		try {
			const during = await of('booking'); // rejects after 5 s; an operation of the store may take 8
			expect(names(during)).not.toContain('slotwise_outbox_waiting');
			expect(names(during)).toContain('slotwise_lock_acquired_total');
			const failed = async () => (await of('booking')).sum('slotwise_store_errors_total', { kind: 'unavailable' }) > 0;
			await until(failed);
		} finally {
			await mongo.set({ kind: 'none' });
		}
		await until(async () => names(await of('booking')).includes('slotwise_outbox_waiting'));
	});
});
