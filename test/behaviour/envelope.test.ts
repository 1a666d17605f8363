import { describe, expect, test } from '@jest/globals';
import { expectEnvelope, expectRefusal, TIMESTAMP } from '../support/expectations.ts';
import type { Answer, Client } from '../support/http-client.ts';
import { sendRaw } from '../support/raw-http.ts';
import { book, createService, newCustomer, serviceBody, slotOn } from '../support/scheduling.ts';
import { anonymous, newAccount } from '../support/shared-product.ts';

describe('The envelope (contract §1)', () => {
	test('When an operation succeeds, then its body is data and nothing else', async () => {
		const client = newAccount();
		const place = await slotOn(client, { max_bookings: 3 });
		const booking = await book(client, place);
		const id = place.service.id;
		const answers: Answer[] = [
			await client.post('/v1/services', serviceBody()),
			await client.get('/v1/services'),
			await client.get(`/v1/services/${id}`),
			await client.patch(`/v1/services/${id}`, { name: 'Other' }),
			await client.get(`/v1/services/${id}/time-slots`),
			await client.get(`/v1/time-slots?service_id=${id}`),
			await client.patch('/v1/time-slots', { time_slots: [{ id: place.slot.id, max_bookings: 4 }] }),
			await client.get(`/v1/services/${id}/availability?from=${place.date}&to=${place.date}`),
			await client.post('/v1/bookings', { date: place.date, time_slot_id: place.slot.id }),
			await client.get(`/v1/bookings?service_id=${id}&page=1&page_size=5`),
			await client.get(`/v1/bookings/${booking.id}`),
			await client.patch(`/v1/bookings/${booking.id}`, { status: 'confirmed' }),
			await client.get(`/v1/bookings/${booking.id}/customer`),
			await client.patch(`/v1/bookings/${booking.id}/customer`, { name: 'Ada' }),
			await client.get('/v1/events'),
			await client.delete(`/v1/bookings/${booking.id}`),
			await client.delete(`/v1/services/${id}`),
		];
		for (const answer of answers) {
			expect(answer.text).toMatch(/^\{"data":/);
			expect(Object.keys(answer.body)).toEqual(['data']);
			expect(answer.headers['content-type']).toMatch(/^application\/json/);
			expect(answer.headers['cache-control']).toBe('private, no-cache');
			expect(answer.headers['retry-after']).toBeUndefined();
		}
	});

	const json = { 'content-type': 'application/json' };
	const refusals: [string, number, (client: Client) => Promise<Answer>][] = [
		['an unknown path', 404, (client) => client.get('/v1/nothing')],
		['a wrong method', 405, (client) => client.request('PUT', '/v1/services')],
		['a missing key', 401, (client) => client.withKey(undefined).get('/v1/services')],
		['a wrong key', 401, (client) => client.withKey('nonsense').get('/v1/services')],
		['another content type', 415, (client) => client.post('/v1/services', undefined, { raw: 'name=x' })],
		['malformed JSON', 400, (client) => client.post('/v1/services', undefined, { raw: '{"name":', headers: json })],
		['a body over the limit', 413, (client) => client.post('/v1/bookings', { message: 'x'.repeat(70_000) })],
		['a missing field', 400, (client) => client.post('/v1/services', {})],
		['an unknown time zone', 422, (client) => client.post('/v1/services', serviceBody({ timezone: 'Mars/Base' }))],
		['an unknown object', 404, (client) => client.get('/v1/bookings/9007199254740991')],
	];
	test.each(refusals)('When a request has %s, then the body is an error text with its code', async (_, status, ask) => {
		const answer = await ask(newAccount());
		expectRefusal(answer, status);
		expect(answer.headers['content-type']).toMatch(/^application\/json/);
		expect(answer.headers['cache-control']).toBe('private, no-cache');
		expect(answer.headers['retry-after']).toBeUndefined();
		expect(answer.text).not.toMatch(/node_modules|\.ts:\d+|at [A-Z]\w+ \(/);
	});

	test('When a path lies outside /v1, then the answer is an envelope as well', async () => {
		for (const path of ['/index.html', '/v2/services', '/favicon.ico', '/v1', '/v1services', '/..%2f..%2fetc/passwd']) {
			const answer = await anonymous().get(path);
			expectRefusal(answer, 404, 'not found');
		}
	});

	test('When the bytes are no HTTP at all, then the answer is an envelope as well', async () => {
		const { status, body } = await sendRaw(anonymous().url, 'this is no HTTP\r\n\r\n');
		expect(status).toBe(400);
		expectEnvelope({ status, body: JSON.parse(body) });
	});

	test('When the headers are too large, then the answer is an envelope as well', async () => {
		const head = `GET /v1/services HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(100_000)}\r\n\r\n`;
		const { status, body } = await sendRaw(anonymous().url, head);
		expect(status).toBe(431);
		expectEnvelope({ status, body: JSON.parse(body) });
	});
});

describe('Values (contract §1)', () => {
	test('When an object is shown, then its times are ISO 8601 UTC with milliseconds', async () => {
		const client = newAccount();
		const place = await slotOn(client);
		const booking = await book(client, place);
		const { provider } = place.service;
		for (const thing of [
			place.service,
			provider,
			provider.package,
			place.slot,
			booking,
			booking.customer,
			booking.time_slot,
		]) {
			expect(thing.created_at).toMatch(TIMESTAMP);
			expect(thing.updated_at).toMatch(TIMESTAMP);
		}
	});

	test('When optional values are not set, then they are null', async () => {
		const client = newAccount();
		const place = await slotOn(client);
		const booking = await book(client, place);
		expect(place.service.description).toBeNull();
		expect(booking.message).toBeNull();
		expect(booking.expires_at).toBeNull();
		expect(booking.customer).toMatchObject({ name: null, email: null, phone: null });
	});

	test('When a booking is not cancelled, then it has no cancel_reason, and when it is, then it has', async () => {
		const client = newAccount();
		const booking = await book(client, await slotOn(client), newCustomer());
		expect(booking).not.toHaveProperty('cancel_reason');
		const change = { status: 'cancelled', cancel_reason: 'Ill' };
		const cancelled = (await client.patch(`/v1/bookings/${booking.id}`, change)).mustBe(200);
		expect(cancelled).toHaveProperty('cancel_reason', 'Ill');
	});

	test('When slot times are given, then they come back as given', async () => {
		const client = newAccount();
		const times = { start_time: '2020-02-29 23:30:15', end_time: '2020-03-01 01:00:00' };
		const { slot } = await slotOn(client, times);
		expect(slot).toMatchObject(times);
	});

	test('When a service has been created, then the provider, its role and its package are nested in it', async () => {
		const service = await createService(newAccount());
		expect(service.provider.id).toBe(service.provider_id);
		expect(service.provider.role.id).toBe(service.provider.role_id);
		expect(service.provider.package.id).toBe(service.provider.package_id);
		expect(service.provider.package.name).toBe('Unlimited');
	});
});
