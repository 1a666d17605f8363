import { describe, expect, test } from '@jest/globals';
import type { KeyReport } from '../../shared/contract/account-reports.ts';
import { expectError } from '../support/expectations.ts';
import { sharedOperator } from '../support/operator.ts';
import { createService } from '../support/scheduling.ts';
import { until } from '../support/until.ts';

const operator = sharedOperator();

describe('Keys that an operator makes (contract §5)', () => {
	test('When a key is made for a new account, then it works at once, on its package', async () => {
		const account = await operator.createAccount('Growth');
		const { client } = await operator.createKey(account.id);
		const { provider_id, provider } = await createService(client);
		expect([provider_id, provider.name, provider.package.name]).toEqual([account.id, 'Ada', 'Growth']);
	});

	test('A3: When one of two keys is revoked, then it is 401 everywhere, and the other one works on', async () => {
		const { id } = await operator.createAccount();
		const [lost, kept] = [await operator.createKey(id), await operator.createKey(id)];
		const { id: service } = await createService(lost.client);
		expect((await kept.client.get(`/v1/services/${service}`)).status).toBe(200);

		await operator.ask('keys', 'revoke', lost.key.id);
		await until(async () => (await lost.client.get('/v1/services')).status === 401, { what: 'the key to be refused' });
		for (let request = 0; request < 10; request++) {
			expectError(await lost.client.get('/v1/services'), 401, 'invalid API key');
		}
		expect((await kept.client.get(`/v1/services/${service}`)).status).toBe(200);
		const states = (await operator.ask<KeyReport[]>('keys', 'list', id)).map((key) => [key.id, key.state]);
		expect(new Map(states as [string, string][])).toEqual(
			new Map([
				[lost.key.id, 'revoked'],
				[kept.key.id, 'active'],
			]),
		);
	});

	test('When a leaked key is all that an operator has, then that is enough to revoke it', async () => {
		const { id } = await operator.createAccount();
		const { apiKey, client, key } = await operator.createKey(id);
		expect((await client.get('/v1/services')).status).toBe(200);
		const revoked = await operator.ask<KeyReport>('keys', 'revoke', apiKey);
		expect(revoked).toMatchObject({ id: key.id, account_id: id, state: 'revoked' });
		await until(async () => (await client.get('/v1/services')).status === 401);
	});

	test('When a key is rolled, then both work; with no overlap, the old one works no more', async () => {
		const { id } = await operator.createAccount();
		const first = await operator.createKey(id, '--scopes', 'read');
		const rolled = await operator.ask<{ old: KeyReport; new: KeyReport; api_key: string }>(
			'keys',
			'roll',
			first.key.id,
		);
		const second = first.client.withKey(rolled.api_key);
		expect(rolled.new).toMatchObject({ name: 'test', scopes: ['read'], state: 'active', expires_at: null });
		for (const client of [first.client, second]) expect((await client.get('/v1/services')).status).toBe(200);
		expectError(await second.post('/v1/services', {}), 403, 'insufficient scope');

		const again = await operator.ask<{ old: KeyReport; new: KeyReport; api_key: string }>(
			...['keys', 'roll', rolled.new.id, '--overlap', '0m'],
		);
		expect(again.old).toMatchObject({ id: rolled.new.id, state: 'expired', replaced_by: again.new.id });
		await until(async () => (await second.get('/v1/services')).status === 401);
		expectError(await second.get('/v1/services'), 401, 'invalid API key');
		expect((await second.withKey(again.api_key).get('/v1/services')).status).toBe(200);
		const entries = (await operator.log(id)).filter(({ event }) => event !== 'key.refused');
		expect(entries.map(({ event, subject }) => [event, subject])).toEqual([
			['account.created', id],
			['key.created', first.key.id],
			...[
				['key.rolled', first.key.id],
				['key.created', rolled.new.id],
			].sort(),
			...[
				['key.rolled', rolled.new.id],
				['key.created', again.new.id],
			].sort(),
		]);
	});
});
