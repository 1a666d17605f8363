import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createApiKey } from '../../shared/secrets/api-key.ts';
import { Client } from '../support/http-client.ts';
import { type Product, startProduct } from '../support/product.ts';
import { until } from '../support/until.ts';
import { type Traffic, watchTraffic } from './traffic.ts';

/** The gateway reads no database itself: whatever is read there was asked for over the bus. */
describe('A1: what a refused key costs', () => {
	let product: Product;
	let client: Client;
	let traffic: Traffic;

	beforeAll(async () => {
		product = await startProduct({ form: 'cluster', keys: { Starter: 1 }, counts: { gateway: 1 } });
		client = new Client(() => product.urls(), product.keys.Starter[0]);
		traffic = await watchTraffic(product.redis!.url, product.nats!.url);
	});
	afterAll(async () => {
		await traffic?.end();
		await product?.stop();
	});
	const forget = () => {
		traffic.redis.length = 0;
		traffic.bus.length = 0;
	};
	beforeEach(forget);

	const lookUps = () => traffic.bus.filter(({ subject }) => subject.endsWith('.accounts.verifyKey')).length;
	/** Scripts that Redis is asked to run for a bucket; what they do in turn is not counted. */
	const questions = () => traffic.redis.filter((command) => /^eval(sha)? .*:limit:/i.test(command)).length;
	const send = async (key: string) => expect((await client.withKey(key).get('/v1/services')).status).toBe(401);

	test('A1: When the checksum is wrong, then nothing is asked of the bus or of Redis', async () => {
		const good = async () => {
			expect((await client.get('/v1/services')).status).toBe(200);
			await until(() => questions() > 0, { what: 'the traffic of a good key' });
			return questions();
		};
		await good(); // its script is known from now on
		forget();
		const one = await good();
		forget();
		for (let count = 0; count < 40; count++) {
			const key = createApiKey();
			await send(`${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`);
		}
		// A good one comes after them: what it costs is seen, so what they cost would have been.
		expect(await good()).toBe(one);
		expect(lookUps()).toBeLessThanOrEqual(1);
	});

	test('A1: When a key is unknown, then it costs one look-up, and nothing of Redis', async () => {
		const keys = Array.from({ length: 20 }, createApiKey);
		for (const key of keys) await send(key);
		await until(() => lookUps() >= keys.length, { what: 'the look-ups' });
		expect(lookUps()).toBe(keys.length);
		expect(questions()).toBe(0);
	});
});
