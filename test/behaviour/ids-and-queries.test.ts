import { describe, expect, test } from '@jest/globals';
import { expectError, expectRefusal } from '../support/expectations.ts';
import { createService } from '../support/scheduling.ts';
import { newAccount } from '../support/shared-product.ts';

const RANGE = 'from=2026-03-01&to=2026-03-02';
const PATHS: [string, string, string][] = [
	['GET', '/v1/services/:id', 'service not found'],
	['PATCH', '/v1/services/:id', 'service not found'],
	['DELETE', '/v1/services/:id', 'service not found'],
	['GET', '/v1/services/:id/time-slots', 'service not found'],
	['GET', `/v1/services/:id/availability?${RANGE}`, 'service not found'],
	['GET', '/v1/bookings/:id', 'booking not found'],
	['PATCH', '/v1/bookings/:id', 'booking not found'],
	['DELETE', '/v1/bookings/:id', 'booking not found'],
	['GET', '/v1/bookings/:id/customer', 'booking not found'],
	['PATCH', '/v1/bookings/:id/customer', 'booking not found'],
];
const NO_IDS = ['0', '-1', '01', '1.5', '1e3', '0x1', '+1', 'abc', '%20', '1%20', '1,2', '%31%00', 'null', 'NaN'];
const TOO_LARGE = ['9007199254740992', '9999999999999999', '10000000000000000', '1'.repeat(40)];

describe('Ids in paths and queries (contract §1)', () => {
	test.each(PATHS)('When %s %s gets something that is no id, then it is 400', async (method, path) => {
		const client = newAccount();
		for (const id of [...NO_IDS, ...TOO_LARGE]) {
			const body = method === 'PATCH' ? {} : undefined;
			const answer = await client.request(method, path.replace(':id', id), { body });
			expectRefusal(answer, 400);
		}
	});

	test.each(PATHS)('When %s %s gets the largest id, then it is 404 with its text', async (method, path, error) => {
		const body = method === 'PATCH' ? {} : undefined;
		const answer = await newAccount().request(method, path.replace(':id', '9007199254740991'), { body });
		expectError(answer, 404, error);
	});

	test('When service_id in a query is no id, then it is 400 and named', async () => {
		const client = newAccount();
		for (const id of ['', ...NO_IDS, ...TOO_LARGE]) {
			expectRefusal(await client.get(`/v1/bookings?service_id=${id}&page=1&page_size=5`), 400, 'service_id');
			expectRefusal(await client.get(`/v1/time-slots?service_id=${id}`), 400, 'service_id');
			expectRefusal(await client.post(`/v1/bookings?service_id=${id}`, {}), 400, 'service_id');
		}
	});

	test('When service_id in a query is unknown, then it is 404 `service not found`', async () => {
		const client = newAccount();
		expectError(
			await client.get('/v1/bookings?service_id=9007199254740991&page=1&page_size=5'),
			404,
			'service not found',
		);
		expectError(await client.get('/v1/time-slots?service_id=9007199254740991'), 404, 'service not found');
	});
});

describe('Query parameters (contract §1)', () => {
	test('When a parameter is repeated, then it is 400 and named', async () => {
		const client = newAccount();
		const { id } = await createService(client);
		expectRefusal(await client.get('/v1/services?page=1&page=2'), 400, 'page');
		expectRefusal(await client.get('/v1/services?page=1&page=1'), 400, 'page');
		expectRefusal(
			await client.get(`/v1/bookings?service_id=${id}&service_id=${id}&page=1&page_size=1`),
			400,
			'service_id',
		);
		expectRefusal(await client.get(`/v1/time-slots?service_id[]=${id}`), 400, 'service_id');
	});

	test('When a parameter is unknown, then it is 400 and named', async () => {
		const client = newAccount();
		const { id } = await createService(client);
		const list = `/v1/bookings?service_id=${id}&page=1&page_size=1`;
		expectRefusal(await client.get('/v1/services?limit=5'), 400, 'limit');
		expectRefusal(await client.get('/v1/services?Page=1'), 400, 'Page');
		expectRefusal(await client.get(`/v1/services/${id}?expand=provider`), 400, 'expand');
		expectRefusal(await client.get(`/v1/services/${id}/time-slots?day_of_week=1`), 400, 'day_of_week');
		expectRefusal(await client.get(`${list}&state=pending`), 400, 'state');
		expectRefusal(await client.get(`${list}&status[$ne]=pending`), 400, 'status');
		expectRefusal(await client.post('/v1/services?dry_run=1', { name: 'A', timezone: 'UTC' }), 400, 'dry_run');
		expectRefusal(await client.patch(`/v1/services/${id}?force=1`, { name: 'B' }), 400, 'force');
		expectRefusal(await client.delete(`/v1/services/${id}?force=1`), 400, 'force');
		expect((await client.get(`/v1/services/${id}`)).mustBe(200)).toMatchObject({ name: 'Piano lesson' });
	});

	test('When a parameter is named like a part of every object, then it is 400', async () => {
		const client = newAccount();
		for (const name of ['__proto__', 'constructor', 'prototype', '__proto__[page]', 'toString', 'hasOwnProperty']) {
			expectRefusal(await client.get(`/v1/services?${name}=1`), 400);
		}
	});

	test.each(['page', 'page_size'])('When %s is no integer in range, then it is 400 and named', async (name) => {
		const client = newAccount();
		for (const value of ['', '0', '-1', '1.5', '1.0', '0x10', '1e1', 'x', '%201', 'true', '[5]', '9007199254740992']) {
			expectRefusal(await client.get(`/v1/services?${name}=${value}`), 400, name);
			expectRefusal(await client.get(`/v1/time-slots?${name}=${value}`), 400, name);
		}
	});

	test('When page_size is over 1000, then it is 400, and 1000 is fine', async () => {
		const client = newAccount();
		expectRefusal(await client.get('/v1/services?page_size=1001'), 400, 'page_size', '1000');
		expect((await client.get('/v1/services?page_size=1000')).status).toBe(200);
	});

	test('When no_pagination is neither true nor false, then it is 400 and named', async () => {
		const client = newAccount();
		for (const value of ['', '1', '0', 'yes', 'TRUE']) {
			expectRefusal(await client.get(`/v1/time-slots?no_pagination=${value}`), 400, 'no_pagination');
		}
	});
});
