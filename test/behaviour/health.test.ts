import { describe, expect, test } from '@jest/globals';
import { expectRefusal } from '../support/expectations.ts';
import { Client } from '../support/http-client.ts';
import { anonymous, sharedProduct } from '../support/shared-product.ts';

describe('/healthz and /readyz (contract §9)', () => {
	test('When the API is asked, then it is alive and ready, no key needed', async () => {
		expect((await anonymous().get('/healthz')).mustBe(200)).toBe('ok');
		const ready = (await anonymous().get<{ ready: boolean; state: string }>('/readyz')).mustBe(200);
		expect(ready).toMatchObject({ ready: true, state: 'up' });
	});

	test('When the admin port of any process is asked, then it is alive and ready', async () => {
		for (const url of sharedProduct().adminUrls) {
			const admin = new Client([url]);
			expect((await admin.get('/healthz')).mustBe(200)).toBe('ok');
			expect((await admin.get('/readyz')).mustBe(200)).toMatchObject({ ready: true });
			expectRefusal(await admin.get('/nothing'), 404, 'not found');
		}
	});

	test('When the gateway is asked, then it reports every service', async () => {
		const { checks } = (await anonymous().get<{ checks: object }>('/readyz')).mustBe(200);
		expect(checks).toMatchObject({ accounts: 'ok', catalog: 'ok', booking: 'ok', customer: 'ok', notifications: 'ok' });
	});
});
