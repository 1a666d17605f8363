import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { WebhookWithSecret } from '../../../shared/contract/schemas/webhook.ts';
import { Client } from '../../support/http-client.ts';
import { type Product, startProduct } from '../../support/product.ts';
import { type Canary, startCanary } from '../outbound/canary.ts';
import { LOOPBACK_URLS, MALFORMED_URLS, PRIVATE_URLS } from '../outbound/hostile-urls.ts';

let product: Product;
let client: Client;
let canary: Canary;
beforeAll(async () => {
	const env = { WEBHOOK_ALLOW_PRIVATE: '0', LOG_LEVEL: 'trace' };
	product = await startProduct({ form: 'embedded', keys: { Unlimited: 1 }, env });
	client = new Client(product.urls(), product.keys.Unlimited[0]!);
	canary = await startCanary();
});
afterAll(async () => {
	await product?.stop();
	await canary?.close();
});

/** An address, so that no name server is asked; nothing is sent there, for nothing happens in this account. */
const PUBLIC_URL = 'https://93.184.216.34/hooks';

describe('the product without WEBHOOK_ALLOW_PRIVATE', () => {
	test('W5: When a hostile URL is registered or changed to, then it is 400 and named', async () => {
		const webhook = (await client.post<WebhookWithSecret>('/v1/webhooks', { url: PUBLIC_URL })).mustBe(201);
		const malformed = MALFORMED_URLS.map(([url]) => url).filter((url) => url !== '' && url.length < 2_000);
		for (const hostile of [...LOOPBACK_URLS, ...PRIVATE_URLS, ...malformed]) {
			const url = hostile.replaceAll('PORT', String(canary.port));
			for (const answer of [
				await client.post('/v1/webhooks', { url }),
				await client.patch(`/v1/webhooks/${webhook.id}`, { url }),
			]) {
				expect([url, answer.status, answer.error]).toEqual([url, 400, expect.stringMatching(/^url: /)]);
			}
		}
		expect((await client.get<WebhookWithSecret>(`/v1/webhooks/${webhook.id}`)).mustBe(200).url).toBe(PUBLIC_URL);
		expect(canary.connections()).toBe(0);
	});

	test('W6: When secrets were made and rotated, then neither the store nor the log holds one, and a restart opens them', async () => {
		const creation = { headers: { 'idempotency-key': 'once' } };
		const webhook = (await client.post<WebhookWithSecret>('/v1/webhooks', { url: PUBLIC_URL }, creation)).mustBe(201);
		const rotated = await client.post<WebhookWithSecret>(`/v1/webhooks/${webhook.id}/rotate-secret`);
		const secrets = [webhook.secret, rotated.mustBe(200).secret];
		await product.processes[0]!.stop();
		const dataDir = join(product.directory, 'data');
		const files = [...readdirSync(dataDir).map((file) => join(dataDir, file)), product.processes[0]!.logFile];
		expect(files.length).toBeGreaterThanOrEqual(3); // store, key, log
		for (const file of files) {
			const content = readFileSync(file, 'latin1');
			for (const secret of secrets) expect([file, content.includes(secret.slice(6))]).toEqual([file, false]);
		}
		await product.processes[0]!.restart();
		await product.processes[0]!.ready();
		const replayed = await client.post<WebhookWithSecret>('/v1/webhooks', { url: PUBLIC_URL }, creation);
		expect(replayed.mustBe(201)).toEqual(webhook);
		expect(replayed.headers['idempotent-replayed']).toBe('true');
	});
});
