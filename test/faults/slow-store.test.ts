import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { expectOutcomes } from '../proof/outcomes.ts';
import { Client } from '../support/http-client.ts';
import { MongoProxy } from '../support/mongo-proxy.ts';
import { type Product, startProduct } from '../support/product.ts';
import { book, slotOn } from '../support/scheduling.ts';
import { whyNoCluster } from '../support/servers.ts';

const missing = whyNoCluster();
const PATCHES = 25;
/** ms of a read: longer than any request may take, so whatever is written on it would come too late */
const READ_TAKES = 11_000;
/** ms after the last read in which a change is made, if it is at all */
const CARRIED_OUT_BY = 3_000;

(missing === undefined ? describe : describe.skip)('X13: a slow store', () => {
	let product: Product;
	let proxy: MongoProxy;
	let client: Client;

	beforeAll(async () => {
		product = await startProduct({
			form: 'cluster',
			keys: { Unlimited: 1 },
			async through(urls) {
				proxy = await MongoProxy.to(urls.mongo);
				return { ...urls, mongo: proxy.url(urls.mongo) };
			},
		});
		client = new Client(() => product.urls(), product.keys.Unlimited[0]!);
	});
	afterAll(async () => {
		await product?.stop();
		await proxy?.close();
	});

	/** What is changed: its address, and the field that takes a text. */
	async function things(): Promise<{ path: string; field: string }[]> {
		const place = await slotOn(client);
		const body = { url: 'http://127.0.0.1:9/slow', events: ['booking.deleted'] };
		const webhook = (await client.post<{ id: string }>('/v1/webhooks', body)).mustBe(201);
		return [
			{ path: `/v1/bookings/${(await book(client, place)).id}`, field: 'message' },
			{ path: `/v1/services/${place.service.id}`, field: 'name' },
			{ path: `/v1/webhooks/${webhook.id}`, field: 'description' },
		];
	}

	test(`X13: When ${PATCHES} changes each are refused for what was read too late, then none is made later`, async () => {
		const all = await things();
		const look = () => Promise.all(all.map(async ({ path }) => (await client.get(path)).mustBe(200)));
		const before = await look();
		const collections = ['bookings', 'services', 'webhooks'];
		const { lost } = proxy;
		proxy.lose({ commands: ['find', 'aggregate'], collections, how: 'slow', ms: READ_TAKES });
		const changes = all.flatMap(({ path, field }) =>
			Array.from({ length: PATCHES }, (_, index) => client.patch(path, { [field]: `too late ${index}` })),
		);
		const answers = await Promise.all(changes);
		proxy.lose(undefined);
		expect(proxy.lost).toBeGreaterThan(lost);
		expect(answers.filter(({ status }) => status < 500)).toEqual([]);
		await delay(READ_TAKES + CARRIED_OUT_BY);
		expect(await look()).toEqual(before);
		await expectOutcomes(client);
	});
});
