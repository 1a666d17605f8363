import { describe, expect, test } from '@jest/globals';
import { boundsOf } from '../../shared/calendar/plain-date.ts';
import type { Usage } from '../../shared/contract/schemas/usage.ts';
import { expectRefusal } from '../support/expectations.ts';
import type { Client } from '../support/http-client.ts';
import { book, createService, newCustomer, slotOn, tryToBook } from '../support/scheduling.ts';
import { newAccount } from '../support/shared-product.ts';
import { until } from '../support/until.ts';

const usageOf = async (client: Client): Promise<Usage> => (await client.get<Usage>('/v1/usage')).mustBe(200);

/** The usage once the requests are counted that were made before; asking counts too. */
function usageAfter(client: Client, requests: number): Promise<Usage> {
	let made = requests;
	return until(async () => {
		const usage = await usageOf(client);
		made++;
		return usage.requests.used === made && usage;
	});
}

describe('GET /v1/usage (contract §7)', () => {
	test('When an account is new, then everything is left but for this very request', async () => {
		const usage = await usageOf(newAccount('Starter'));
		const { start, end } = boundsOf(usage.month);
		expect([start <= Date.now(), Date.now() < end]).toEqual([true, true]);
		expect(usage).toEqual({
			month: usage.month,
			resets_at: new Date(end).toISOString(),
			package: 'Starter',
			overages_enabled: false,
			requests: { used: 1, limit: 10_000, remaining: 9_999, overage: 0, projected: null },
			bookings: { used: 0, limit: 1_000, remaining: 1_000, overage: 0, projected: null },
			services: { used: 0, limit: 5, remaining: 5 },
			scopes: ['read', 'write'],
		});
	});

	test('When a plan has no limits, then what was used is counted all the same', async () => {
		const usage = await usageOf(newAccount('Unlimited'));
		expect(usage).toMatchObject({
			overages_enabled: true,
			requests: { used: 1, limit: null, remaining: null, overage: 0 },
			bookings: { used: 0, limit: null, remaining: null, overage: 0 },
			services: { used: 0, limit: null, remaining: null },
		});
	});

	test('When requests are let through, then each counts, also one that fails; those of others do not', async () => {
		const [client, other] = [newAccount(), newAccount()];
		for (const path of ['/v1/services', '/v1/services/99999999', '/v1/services/0', '/v1/time-slots']) {
			await client.get(path);
		}
		await client.post('/v1/bookings', {});
		await client.get('/v1/nothing'); // nobody's
		expect((await usageAfter(client, 5)).requests.used).toBeGreaterThan(5);
		expect((await usageOf(other)).requests.used).toBe(1);
	});

	test('When bookings are made, then they count, also once they are cancelled or deleted; refused ones do not', async () => {
		const client = newAccount();
		const place = await slotOn(client, { max_bookings: 3 });
		const [first, second] = [await book(client, place, newCustomer()), await book(client, place)];
		const customer = newCustomer();
		await book(client, place, customer);
		expect((await tryToBook(client, place, customer)).status).toBe(400);
		expect((await tryToBook(client, place)).status).toBe(400);
		(await client.patch(`/v1/bookings/${first.id}`, { status: 'cancelled', cancel_reason: 'x' })).mustBe(200);
		(await client.delete(`/v1/bookings/${second.id}`)).mustBe(200);
		await until(async () => (await usageOf(client)).bookings.used === 3, { what: 'three bookings' });
	});

	test('When a booking is replayed, then that is a request and no booking', async () => {
		const client = newAccount();
		const place = await slotOn(client, { max_bookings: 3 }); // two requests
		const headers = { 'Idempotency-Key': 'once' };
		for (let attempt = 0; attempt < 3; attempt++) {
			(await tryToBook(client, place, { customer_name: 'Ada' }, { headers })).mustBe(201);
		}
		expect((await usageAfter(client, 5)).bookings.used).toBe(1);
	});

	test('When services are made and deleted, then those that there are count', async () => {
		const client = newAccount('Developer');
		const { id } = await createService(client);
		await createService(client);
		expect((await usageOf(client)).services).toEqual({ used: 2, limit: 25, remaining: 23 });
		(await client.delete(`/v1/services/${id}`)).mustBe(200);
		expect((await usageOf(client)).services).toEqual({ used: 1, limit: 25, remaining: 24 });
	});

	test('When a parameter is given, then it is 400 and named', async () => {
		expectRefusal(await newAccount().get('/v1/usage', { query: { month: '2026-10' } }), 400, 'month');
	});
});
