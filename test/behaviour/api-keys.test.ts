import { describe, expect, test } from '@jest/globals';
import { operations } from '../../services/gateway/operations/index.ts';
import { createApiKey } from '../../shared/secrets/api-key.ts';
import { expectError } from '../support/expectations.ts';
import { createService } from '../support/scheduling.ts';
import { anonymous, newAccount } from '../support/shared-product.ts';

/** `key` with its last character replaced by another one. */
function withWrongChecksum(key: string): string {
	return key.slice(0, -1) + (key.endsWith('0') ? '1' : '0');
}

describe('The Authorization header (contract §5)', () => {
	test('When the scheme is written in any case, then the key is taken', async () => {
		const { key, ...client } = { key: newAccount().key, open: anonymous() };
		for (const scheme of ['Bearer', 'bearer', 'BEARER', 'bEaReR']) {
			const answer = await client.open.get('/v1/services', { headers: { authorization: `${scheme} ${key}` } });
			expect(answer.status).toBe(200);
		}
	});

	test('When there is no header, then it is 401 `missing API key` with WWW-Authenticate', async () => {
		const answer = await anonymous().get('/v1/services');
		expectError(answer, 401, 'missing API key');
		expect(answer.headers['www-authenticate']).toBe('Bearer');
	});

	test('A1: When a key is malformed or unknown, then it is 401 `invalid API key`, one and the same body', async () => {
		const good = newAccount().key!;
		const headers = [
			'Bearer nonsense',
			`Bearer ${createApiKey()}`,
			`Bearer ${withWrongChecksum(good)}`,
			`Bearer ${good}x`,
			`Bearer ${good.toUpperCase()}`,
			`Bearer ${good.slice(0, -1)}`,
			`Bearer ${good} ${good}`,
			`Basic ${Buffer.from(`${good}:`).toString('base64')}`,
			'Bearer slw_',
			`Bearer ${'x'.repeat(4000)}`,
		];
		const bodies = new Set<string>();
		for (const authorization of headers) {
			const answer = await anonymous().get('/v1/services', { headers: { authorization } });
			expectError(answer, 401, 'invalid API key');
			expect(answer.headers['www-authenticate']).toBe('Bearer');
			bodies.add(answer.text);
		}
		expect(bodies.size).toBe(1);
		expect((await anonymous().withKey(good).get('/v1/services')).status).toBe(200);
	});

	test('When the key comes anywhere but in the header, then it does not count', async () => {
		const { key } = newAccount();
		expect((await anonymous().get(`/v1/services?api_key=${key}`)).status).toBe(401);
		expect((await anonymous().get('/v1/services', { headers: { 'x-api-key': key! } })).status).toBe(401);
		expect((await anonymous().get('/v1/services', { headers: { cookie: `api_key=${key}` } })).status).toBe(401);
	});

	test('A2: When a key is refused, then neither it nor a part of it is in the answer', async () => {
		const key = createApiKey();
		const answer = await anonymous().withKey(key).get('/v1/services');
		expect(`${answer.text}${JSON.stringify(answer.headers)}`).not.toContain(key.slice(4, 20));
	});
});

describe('Every operation needs a key (contract §5)', () => {
	test.each(operations.map(({ method, path }) => [method, path]))(
		'When %s %s has none, then it is 401',
		async (method, path) => {
			const answer = await anonymous().request(method, path.replaceAll(/\{\w+\}/g, '1'), { body: {} });
			expectError(answer, 401, 'missing API key');
			expect(answer.headers['www-authenticate']).toBe('Bearer');
			expect(answer.headers['cache-control']).toBe('private, no-cache');
		},
	);
});

describe('Accounts of BOOTSTRAP_KEYS (contract §5)', () => {
	test('When two keys were given, then each has an account of its own, on its package', async () => {
		const [one, two] = [await createService(newAccount('Developer')), await createService(newAccount('Growth'))];
		expect(one.provider_id).not.toBe(two.provider_id);
		expect([one.provider.package.name, two.provider.package.name]).toEqual(['Developer', 'Growth']);
	});

	const plans = [
		['Starter', 5, 10_000, 1_000, 5, false],
		['Developer', 10, 50_000, 5_000, 25, false],
		['Growth', 20, null, null, null, true],
		['Unlimited', null, null, null, null, true],
	] as const;
	test.each(plans)(
		'When a key is on %s, then its package has the limits of the plan (contract §6)',
		async (...plan) => {
			const [name, rate, requests, bookings, services, overages] = plan;
			const { provider } = await createService(newAccount(name));
			expect(provider.package).toMatchObject({
				name,
				rate_limit_per_second: rate,
				requests_per_month: requests,
				bookings_per_month: bookings,
				services_limit: services,
				overages_enabled: overages,
			});
			expect(['month', 'year']).toContain(provider.package.price_interval);
			expect(['trialing', 'active', 'past_due', 'canceled']).toContain(provider.subscription_status);
		},
	);
});
