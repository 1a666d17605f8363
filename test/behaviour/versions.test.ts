import { describe, expect, test } from '@jest/globals';
import type { Booking } from '../../shared/contract/schemas/booking.ts';
import { expectError, expectRefusal } from '../support/expectations.ts';
import { eventsUpTo } from '../support/feed.ts';
import type { Client } from '../support/http-client.ts';
import { book, createService, getBooking, newCustomer, slotOn } from '../support/scheduling.ts';
import { newAccount } from '../support/shared-product.ts';

/** A booking of version 2. */
async function changedBooking(client: Client): Promise<Booking> {
	const { id } = await book(client, await slotOn(client), newCustomer());
	return (await client.patch<Booking>(`/v1/bookings/${id}`, { message: 'two' })).mustBe(200);
}

describe('ETag (contract §4)', () => {
	test('V1: When a single resource is answered, then ETag is its version', async () => {
		const client = newAccount();
		const place = await slotOn(client);
		const service = `/v1/services/${place.service.id}`;
		expect((await client.get(service)).headers.etag).toBe('"1"');
		expect((await client.patch(service, { name: 'B' })).headers.etag).toBe('"2"');
		const created = await client.post<Booking>('/v1/bookings', { date: place.date, time_slot_id: place.slot.id });
		expect(created.headers.etag).toBe('"1"');
		const path = `/v1/bookings/${created.data.id}`;
		const confirmed = await client.patch<Booking>(path, { status: 'confirmed' });
		expect([confirmed.headers.etag, confirmed.data.version]).toEqual(['"2"', 2]);
		expect((await client.patch(`${path}/customer`, { name: 'Ada' })).headers.etag).toBe('"3"');
		expect((await client.get(path)).headers.etag).toBe('"3"');
		expect((await client.get(`${path}/customer`)).headers.etag).toBe('"3"');
		expect((await client.post('/v1/services', { name: 'A', timezone: 'UTC' })).headers.etag).toBe('"1"');
	});

	test.each(['"2"', 'W/"2"', '"1", "2"', '*', '"x","2" ', 'W/"1" , W/"2"'])(
		'V1: When If-None-Match is %s, then it is 304 without a body',
		async (tag) => {
			const client = newAccount();
			const { id } = await changedBooking(client);
			for (const path of [`/v1/bookings/${id}`, `/v1/bookings/${id}/customer`]) {
				const answer = await client.get(path, { headers: { 'if-none-match': tag } });
				expect([answer.status, answer.text, answer.headers.etag]).toEqual([304, '', '"2"']);
			}
		},
	);

	test.each(['"1"', '"3"', '2', '"02"', 'nonsense', '""'])(
		'When If-None-Match is %s, then the answer is whole',
		async (tag) => {
			const client = newAccount();
			const booking = await changedBooking(client);
			const answer = await client.get(`/v1/bookings/${booking.id}`, { headers: { 'if-none-match': tag } });
			expect(answer.mustBe(200)).toEqual(booking);
		},
	);

	test('X12: When the slot of a booking was changed, then a 304 is right: what it shows is what the client has', async () => {
		const client = newAccount();
		const place = await slotOn(client);
		const booking = await book(client, place, newCustomer());
		const path = `/v1/bookings/${booking.id}`;
		const time_slots = [{ id: place.slot.id, max_bookings: 7 }];
		(await client.patch('/v1/time-slots', { time_slots })).mustBe(200);
		expect((await client.get<Booking>(path)).mustBe(200)).toEqual(booking);
		for (const tag of ['"1"', 'W/"1"', '"7", "1"', '*']) {
			const answer = await client.get<Booking>(path, { headers: { 'if-none-match': tag } });
			expect([answer.status, answer.headers.etag]).toEqual([304, '"1"']);
		}
	});

	test('When a service is read with If-None-Match, then it is sent whole, for its count changes without the version', async () => {
		const client = newAccount();
		const { id } = await createService(client);
		const answer = await client.get(`/v1/services/${id}`, { headers: { 'if-none-match': '"1"' } });
		expect(answer.mustBe(200)).toMatchObject({ id });
	});
});

describe('If-Match (contract §4)', () => {
	test.each(['"2"', '*', '"1", "2"', '"9" ,"2"', '"2" , W/"1"'])(
		'When If-Match is %s, then the change is made',
		async (tag) => {
			const client = newAccount();
			const { id } = await changedBooking(client);
			const headers = { 'if-match': tag };
			expect(
				(await client.patch<Booking>(`/v1/bookings/${id}`, { message: 'x' }, { headers })).mustBe(200).version,
			).toBe(3);
		},
	);

	test.each(['"1"', '"3"', 'W/"2"', '"1", "3"', '2', '""', 'nonsense'])(
		'When If-Match is %s, then every change is 412 and nothing is changed',
		async (tag) => {
			const client = newAccount();
			const booking = await changedBooking(client);
			const headers = { 'if-match': tag };
			const path = `/v1/bookings/${booking.id}`;
			expectError(await client.patch(path, { message: 'x' }, { headers }), 412, 'version conflict');
			expectError(await client.patch(`${path}/customer`, { name: 'x' }, { headers }), 412, 'version conflict');
			expectError(await client.delete(path, { headers }), 412, 'version conflict');
			expect(await getBooking(client, booking.id)).toEqual(booking);
		},
	);

	test('When a service is changed or deleted with If-Match, then it holds as well', async () => {
		const client = newAccount();
		const { id } = await createService(client);
		const path = `/v1/services/${id}`;
		(await client.patch(path, { name: 'B' }, { headers: { 'if-match': '"1"' } })).mustBe(200);
		expectError(await client.patch(path, { name: 'C' }, { headers: { 'if-match': '"1"' } }), 412, 'version conflict');
		expectError(await client.delete(path, { headers: { 'if-match': '"1"' } }), 412, 'version conflict');
		(await client.delete(path, { headers: { 'if-match': '"2"' } })).mustBe(200);
	});

	test('When a booking is deleted with the current version, then it is', async () => {
		const client = newAccount();
		const { id } = await changedBooking(client);
		(await client.delete(`/v1/bookings/${id}`, { headers: { 'if-match': '"2"' } })).mustBe(200);
	});
});

describe('version in the body (contract §4)', () => {
	test('When it is the current one, then the change is made, and when not, then it is 409', async () => {
		const client = newAccount();
		const booking = await changedBooking(client);
		const path = `/v1/bookings/${booking.id}`;
		for (const version of [1, 3, Number.MAX_SAFE_INTEGER]) {
			expectError(await client.patch(path, { message: 'x', version }), 409, 'version conflict');
		}
		expect(await getBooking(client, booking.id)).toEqual(booking);
		(await client.patch(path, { message: 'x', version: 2 })).mustBe(200);
		const { id } = await createService(client);
		expectError(await client.patch(`/v1/services/${id}`, { name: 'x', version: 2 }), 409, 'version conflict');
		(await client.patch(`/v1/services/${id}`, { name: 'x', version: 1 })).mustBe(200);
	});

	test('When a stale version comes with a change that changes nothing, then it is 409 as well', async () => {
		const client = newAccount();
		const booking = await changedBooking(client);
		expectError(await client.patch(`/v1/bookings/${booking.id}`, { version: 1 }), 409, 'version conflict');
	});

	test.each([0, -1, 1.5, '2', null, true])('When it is %p, then it is 400 and named', async (version) => {
		const client = newAccount();
		const { id } = await changedBooking(client);
		expectRefusal(await client.patch(`/v1/bookings/${id}`, { message: 'x', version }), 400, 'version');
	});
});

describe('Many changes at once', () => {
	test('V2: When 50 PATCHes carry one If-Match, then one is 200 and 49 are 412', async () => {
		const client = newAccount();
		const { id } = await changedBooking(client);
		const headers = { 'if-match': '"2"' };
		const patches = Array.from({ length: 50 }, (_, number) =>
			client.patch(`/v1/bookings/${id}`, { message: `m${number}` }, { headers }),
		);
		const statuses = (await Promise.all(patches)).map((answer) => answer.status);
		expect(statuses.filter((status) => status === 200)).toHaveLength(1);
		expect(statuses.filter((status) => status === 412)).toHaveLength(49);
		expect((await getBooking(client, id)).version).toBe(3);
	});

	test('V2: When 200 PATCHes carry none, then all are 200, the version grows by 200 and no field is lost', async () => {
		const client = newAccount();
		const { id } = await changedBooking(client);
		const patches = Array.from({ length: 200 }, (_, number) =>
			number % 2 === 0
				? client.patch<Booking>(`/v1/bookings/${id}`, { message: `m${number}` })
				: client.patch<Booking>(`/v1/bookings/${id}/customer`, { name: `n${number}` }),
		);
		for (const answer of await Promise.all(patches)) answer.mustBe(200);
		const after = await getBooking(client, id);
		expect(after).toMatchObject({
			version: 202,
			message: expect.stringMatching(/^m/),
			customer: { name: expect.stringMatching(/^n/) },
		});
	});

	test('V3: When a booking is confirmed 30 times at once, then that is one change and one event', async () => {
		const client = newAccount();
		const { id } = await book(client, await slotOn(client));
		const confirms = Array.from({ length: 30 }, () =>
			client.patch<Booking>(`/v1/bookings/${id}`, { status: 'confirmed' }),
		);
		for (const answer of await Promise.all(confirms)) expect(answer.mustBe(200).version).toBe(2);
		(await client.patch(`/v1/bookings/${id}`, { message: 'last' })).mustBe(200);
		const events = await eventsUpTo(client, 3);
		expect(events.map((event) => event.type)).toEqual(['booking.created', 'booking.confirmed', 'booking.updated']);
	});

	test('When a booking is changed and deleted at once, then each answer is 200 or 404, and it is gone', async () => {
		const client = newAccount();
		const { id } = await changedBooking(client);
		const requests = Array.from({ length: 20 }, (_, number) =>
			number % 5 === 4
				? client.delete(`/v1/bookings/${id}`)
				: client.patch(`/v1/bookings/${id}`, { message: `${number}` }),
		);
		const answers = await Promise.all(requests);
		for (const answer of answers) expect([200, 404]).toContain(answer.status);
		expect(answers.filter((answer) => answer.text === '{"data":"ok"}')).toHaveLength(1);
		expectError(await client.get(`/v1/bookings/${id}`), 404, 'booking not found');
	});
});
