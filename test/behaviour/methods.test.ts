import { describe, expect, test } from '@jest/globals';
import { expectError, expectRefusal } from '../support/expectations.ts';
import { book, createService, getService, serviceBody, slotOn } from '../support/scheduling.ts';
import { anonymous, newAccount } from '../support/shared-product.ts';

const ALLOWED: [string, string[]][] = [
	['/v1/services', ['GET', 'POST']],
	['/v1/services/1', ['GET', 'PATCH', 'DELETE']],
	['/v1/services/1/time-slots', ['GET']],
	['/v1/services/1/availability', ['GET']],
	['/v1/services/1/schedule', ['GET', 'PUT']],
	['/v1/availability', ['GET']],
	['/v1/services/1/date-overrides', ['GET', 'POST']],
	['/v1/services/1/date-overrides/1', ['DELETE']],
	['/v1/services/1/calendar-feeds', ['GET', 'POST']],
	['/v1/services/1/calendar-feeds/1', ['DELETE']],
	['/calendar/a.ics', ['GET']],
	['/', ['GET']],
	['/v1/time-slots', ['GET', 'PATCH']],
	['/v1/bookings', ['GET', 'POST']],
	['/v1/bookings/1', ['GET', 'PATCH', 'DELETE']],
	['/v1/bookings/1/customer', ['GET', 'PATCH']],
	['/v1/customers', ['GET']],
	['/v1/customers/export', ['GET']],
	['/v1/customers/erase', ['POST']],
	['/v1/events', ['GET']],
];
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND'];

describe('Unknown paths (contract §1)', () => {
	test.each(['/v1/service', '/v1/services/1/slots', '/v1/bookings/1/customers', '/v1/time-slots/1', '/v2/services'])(
		'When %s is asked for, then it is 404 `not found`, with a key or without',
		async (path) => {
			expectError(await anonymous().get(path), 404, 'not found');
			expectError(await newAccount().get(path), 404, 'not found');
			expectError(await newAccount().post(path, {}), 404, 'not found');
		},
	);

	test('When a broker path is asked for, then no action is reachable by its name', async () => {
		const client = newAccount();
		for (const path of [
			'/~node/options',
			'/api/~node/options',
			'/v1/~node/list',
			'/accounts/verifyKey',
			'/v1/booking.list',
		]) {
			expectError(await client.get(path), 404, 'not found');
		}
	});

	test('When a path has a broken percent-encoding, then it is refused as an envelope', async () => {
		const answer = await newAccount().get('/v1/services/%E0%A4%A');
		expect([400, 404]).toContain(answer.status);
		expectRefusal(answer, answer.status);
	});
});

describe('Wrong methods (contract §1)', () => {
	test.each(ALLOWED)(
		'When %s gets a method that it does not have, then it is 405 with Allow, no key needed',
		async (path, allowed) => {
			for (const method of METHODS.filter((candidate) => !allowed.includes(candidate))) {
				const answer = await anonymous().request(method, path);
				expectError(answer, 405, 'method not allowed');
				const named = (answer.headers.allow ?? '')
					.split(/,\s*/)
					.filter((name) => name !== 'HEAD' && name !== 'OPTIONS');
				expect(named.sort()).toEqual([...allowed].sort());
			}
		},
	);
});

describe('HEAD (RFC 9110 §9.3.2)', () => {
	test('When HEAD is sent in place of GET, then the headers are the same and there is no body', async () => {
		const client = newAccount();
		const booking = await book(client, await slotOn(client));
		for (const path of ['/v1/services', `/v1/bookings/${booking.id}`]) {
			const get = await client.get(path);
			const head = await client.request('HEAD', path);
			expect({ status: head.status, text: head.text, etag: head.headers.etag }).toEqual({
				status: 200,
				text: '',
				etag: get.headers.etag,
			});
			expect(head.headers['content-type']).toBe(get.headers['content-type']);
		}
		expect((await client.withKey(undefined).request('HEAD', '/v1/services')).status).toBe(401);
		expect((await client.request('HEAD', '/v1/services/9007199254740991')).status).toBe(404);
	});
});

describe('OPTIONS', () => {
	test('When OPTIONS asks for the DELETE of something, then nothing is deleted', async () => {
		const client = newAccount();
		const { id } = await createService(client);
		const headers = { origin: 'https://evil.example', 'access-control-request-method': 'DELETE' };
		const answer = await client.request('OPTIONS', `/v1/services/${id}`, { headers });
		expect(answer.headers['access-control-allow-origin']).toBeUndefined();
		expect((await getService(client, id)).id).toBe(id);
	});

	test('When OPTIONS asks for a POST, then nothing is created and no data is shown', async () => {
		const client = newAccount();
		await createService(client, { name: 'Not for OPTIONS' });
		const headers = { 'access-control-request-method': 'POST', 'content-type': 'application/json' };
		const answer = await client.request('OPTIONS', '/v1/services', { headers, raw: JSON.stringify(serviceBody()) });
		expect(answer.text).not.toContain('Not for OPTIONS');
		const list = (await client.get<{ services: unknown[] }>('/v1/services')).mustBe(200);
		expect(list.services).toHaveLength(1);
	});
});

describe('Cross-origin requests (contract §10: CORS_ORIGINS is not set)', () => {
	test('When a page of any origin calls, then no header lets it read the answer', async () => {
		const answer = await newAccount().get('/v1/services', { headers: { origin: 'https://app.example.com' } });
		expect(answer.status).toBe(200);
		expect(answer.headers['access-control-allow-origin']).toBeUndefined();
		expect(answer.headers['access-control-allow-credentials']).toBeUndefined();
	});
});
