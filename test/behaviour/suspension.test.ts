import { describe, expect, test } from '@jest/globals';
import { expectError } from '../support/expectations.ts';
import { sharedOperator } from '../support/operator.ts';
import { createService, slotOn } from '../support/scheduling.ts';
import { until } from '../support/until.ts';

const operator = sharedOperator();

describe('Accounts that an operator suspends or moves (contract §5)', () => {
	test('When an account is suspended, then all its keys are 403 until it is resumed, and nothing is lost', async () => {
		const { id } = await operator.createAccount();
		const [one, two] = [await operator.createKey(id), await operator.createKey(id, '--scopes', 'read')];
		const { service } = await slotOn(one.client);

		expect(await operator.ask('accounts', 'suspend', id)).toMatchObject({ suspended_at: expect.any(String) });
		for (const { client } of [one, two]) {
			await until(async () => (await client.get('/v1/services')).status === 403, { what: 'the suspension' });
			expectError(await client.get(`/v1/services/${service.id}`), 403, 'account suspended');
		}
		expectError(await two.client.delete(`/v1/services/${service.id}`), 403, 'account suspended'); // before the scope

		expect(await operator.ask('accounts', 'resume', id)).toMatchObject({ suspended_at: null });
		for (const { client } of [one, two]) {
			await until(async () => (await client.get(`/v1/services/${service.id}`)).status === 200, {
				what: 'the resumption',
			});
		}
		const events = (await operator.log(id)).map(({ event }) => event).filter((event) => event.startsWith('account.'));
		expect(events).toEqual(['account.created', 'account.suspended', 'account.resumed']);
	});

	test('When another account is suspended, then this one is served', async () => {
		const [bad, good] = await Promise.all([operator.createAccount(), operator.createAccount()]);
		const { client } = await operator.createKey(good.id);
		await operator.ask('accounts', 'suspend', bad.id);
		expect((await client.get('/v1/services')).status).toBe(200);
	});

	test('When an account gets another package, then its services show it', async () => {
		const { id } = await operator.createAccount('Starter');
		const { client } = await operator.createKey(id);
		const service = await createService(client);
		expect(service.provider.package.name).toBe('Starter');
		await operator.ask('accounts', 'set', id, '--package', 'Unlimited', '--subscription', 'past_due');
		const provider = await until(async () => {
			const answer = await client.get<typeof service>(`/v1/services/${service.id}`);
			return answer.mustBe(200).provider.package.name === 'Unlimited' && answer.data.provider;
		});
		expect(provider.subscription_status).toBe('past_due');
	});
});
