import { describe, expect, test } from '@jest/globals';
import { askAdmin } from '../support/ask-admin.ts';
import { anonymous, sharedProduct } from '../support/shared-product.ts';

const ask = async (url: string): Promise<[status: number, body: unknown]> => {
	const answer = await askAdmin(url);
	return [answer.status, await answer.json()];
};

describe('/healthz and /readyz (contract §9)', () => {
	test('When the API is asked, then it is alive and ready, no key needed', async () => {
		expect((await anonymous().get('/healthz')).mustBe(200)).toBe('ok');
		const ready = (await anonymous().get<{ ready: boolean; state: string }>('/readyz')).mustBe(200);
		expect(ready).toMatchObject({ ready: true, state: 'up' });
	});

	test('When the admin port of any process is asked, then it is alive and ready', async () => {
		for (const url of sharedProduct().adminUrls) {
			expect(await ask(`${url}/healthz`)).toEqual([200, { data: 'ok' }]);
			expect(await ask(`${url}/readyz`)).toMatchObject([200, { data: { ready: true } }]);
			expect(await ask(`${url}/nothing`)).toEqual([404, { error: 'not found', code: 'not_found' }]);
		}
	});

	test('When the gateway is asked, then it reports every service', async () => {
		const { checks } = (await anonymous().get<{ checks: object }>('/readyz')).mustBe(200);
		expect(checks).toMatchObject({ accounts: 'ok', catalog: 'ok', booking: 'ok', customer: 'ok', notifications: 'ok' });
	});
});
