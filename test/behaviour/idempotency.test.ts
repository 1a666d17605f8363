import { describe, expect, test } from '@jest/globals';
import type { Booking } from '../../shared/contract/schemas/booking.ts';
import type { Service } from '../../shared/contract/schemas/service.ts';
import { expectError, expectRefusal } from '../support/expectations.ts';
import { eventsUpTo } from '../support/feed.ts';
import type { Client } from '../support/http-client.ts';
import {
	activeBookings,
	book,
	bookingBody,
	newCustomer,
	type Place,
	serviceBody,
	slotInput,
	slotOn,
	slotsOf,
} from '../support/scheduling.ts';
import { newAccount } from '../support/shared-product.ts';

function bookWithKey(client: Client, key: string, place: Place, changes: Record<string, unknown> = {}) {
	return client.post<Booking>('/v1/bookings', bookingBody(place, changes), { headers: { 'idempotency-key': key } });
}

describe('A replay (contract §4)', () => {
	test('When a booking is sent again with its key, then the first answer comes again, marked as such', async () => {
		const client = newAccount();
		const place = await slotOn(client);
		const first = await bookWithKey(client, 'k', place);
		expect(first.status).toBe(201);
		expect(first.headers['idempotent-replayed']).toBeUndefined();
		for (let round = 0; round < 3; round++) {
			const again = await bookWithKey(client, 'k', place);
			expect([again.status, again.text]).toEqual([201, first.text]);
			expect(again.headers['idempotent-replayed']).toBe('true');
			expect(again.headers.location).toBe(first.headers.location);
			expect(again.headers.etag).toBe('"1"');
		}
		expect(await activeBookings(client, place.service.id)).toHaveLength(1);
	});

	test('I4: When the booking was changed or deleted, then the first answer comes still', async () => {
		const client = newAccount();
		const place = await slotOn(client);
		const first = await bookWithKey(client, 'k', place, { customer_email: 'a@example.com' });
		const path = `/v1/bookings/${first.data.id}`;
		(await client.patch(path, { status: 'confirmed', message: 'x' })).mustBe(200);
		(await client.patch(`${path}/customer`, { email: 'b@example.com' })).mustBe(200);
		expect((await bookWithKey(client, 'k', place, { customer_email: 'a@example.com' })).text).toBe(first.text);
		(await client.delete(path)).mustBe(200);
		expect((await bookWithKey(client, 'k', place, { customer_email: 'a@example.com' })).text).toBe(first.text);
		expect(await activeBookings(client, place.service.id)).toHaveLength(0);
	});

	test('I4: When the slot or its service was changed or deleted, then the first answer comes still', async () => {
		const client = newAccount();
		const place = await slotOn(client);
		const first = await bookWithKey(client, 'k', place);
		(
			await client.patch('/v1/time-slots', { time_slots: [{ id: place.slot.id, max_bookings: 9, day_of_week: 5 }] })
		).mustBe(200);
		expect((await bookWithKey(client, 'k', place)).text).toBe(first.text);
		(await client.delete(`/v1/services/${place.service.id}`)).mustBe(200);
		expect((await bookWithKey(client, 'k', place)).text).toBe(first.text);
	});

	test('When a service is sent again with its key, then it is created once, also after changes and its end', async () => {
		const client = newAccount();
		const headers = { 'idempotency-key': 'service' };
		const body = serviceBody({ time_slots: [slotInput()] });
		const first = await client.post<Service>('/v1/services', body, { headers });
		const again = await client.post<Service>('/v1/services', body, { headers });
		expect([again.status, again.text, again.headers['idempotent-replayed']]).toEqual([201, first.text, 'true']);
		expect(await slotsOf(client, first.data.id)).toHaveLength(1);
		(await client.patch(`/v1/services/${first.data.id}`, { name: 'Changed' })).mustBe(200);
		expect((await client.post('/v1/services', body, { headers })).text).toBe(first.text);
		(await client.delete(`/v1/services/${first.data.id}`)).mustBe(200);
		expect((await client.post('/v1/services', body, { headers })).text).toBe(first.text);
		expect((await client.get<{ services: Service[] }>('/v1/services')).mustBe(200).services).toEqual([]);
	});

	test('When only the order of the fields differs, then it is the same request', async () => {
		const client = newAccount();
		const place = await slotOn(client);
		const first = await bookWithKey(client, 'k', place, { message: 'x', customer_name: 'y' });
		const headers = { 'idempotency-key': 'k' };
		const body = { customer_name: 'y', message: 'x', time_slot_id: place.slot.id, date: place.date };
		expect((await client.post('/v1/bookings', body, { headers })).text).toBe(first.text);
	});
});

describe('Another request under the same key (I3)', () => {
	test('When body or query differ, then it is 422 and nothing is written', async () => {
		const client = newAccount();
		const place = await slotOn(client, { max_bookings: 5 });
		(await bookWithKey(client, 'k', place, { message: 'one' })).mustBe(201);
		expectRefusal(await bookWithKey(client, 'k', place, { message: 'two' }), 422);
		expectRefusal(await bookWithKey(client, 'k', place), 422);
		const headers = { 'idempotency-key': 'k' };
		const path = `/v1/bookings?service_id=${place.service.id}`;
		expectRefusal(await client.post(path, bookingBody(place, { message: 'one' }), { headers }), 422);
		expect(await activeBookings(client, place.service.id)).toHaveLength(1);
	});

	test('When the operation or the account is another one, then the key is free', async () => {
		const [client, other] = [newAccount(), newAccount()];
		const place = await slotOn(client);
		const theirs = await slotOn(other);
		const one = await bookWithKey(client, 'k', place);
		const two = await bookWithKey(other, 'k', theirs);
		expect([one.status, two.status]).toEqual([201, 201]);
		expect(two.data.id).not.toBe(one.data.id);
		const service = await client.post('/v1/services', serviceBody(), { headers: { 'idempotency-key': 'k' } });
		expect(service.status).toBe(201);
		expect(service.headers['idempotent-replayed']).toBeUndefined();
	});

	test('When the key comes with another operation than the three, then it is ignored', async () => {
		const client = newAccount();
		const booking = await book(client, await slotOn(client));
		const headers = { 'idempotency-key': 'k' };
		for (const message of ['a', 'b']) {
			const answer = await client.patch<Booking>(`/v1/bookings/${booking.id}`, { message }, { headers });
			expect(answer.mustBe(200).message).toBe(message);
			expect(answer.headers['idempotent-replayed']).toBeUndefined();
		}
	});
});

describe('Only 2xx is kept (I4)', () => {
	test('When the first answer was a refusal, then a retry is decided anew', async () => {
		const client = newAccount();
		const place = await slotOn(client);
		const blocker = await book(client, place);
		expectError(await bookWithKey(client, 'k', place), 400, 'time slot is full');
		expectError(await bookWithKey(client, 'k', place), 400, 'time slot is full');
		(await client.delete(`/v1/bookings/${blocker.id}`)).mustBe(200);
		const booked = await bookWithKey(client, 'k', place);
		expect(booked.status).toBe(201);
		expect(booked.headers['idempotent-replayed']).toBeUndefined();
	});

	test('When the first request was invalid, then another body may use the key', async () => {
		const client = newAccount();
		const place = await slotOn(client);
		expectRefusal(await bookWithKey(client, 'k', place, { date: 'never' }), 400, 'date');
		(await bookWithKey(client, 'k', place)).mustBe(201);
	});
});

describe('The key itself (contract §4)', () => {
	test('When it is quoted or bare, then it is one key', async () => {
		const client = newAccount();
		const place = await slotOn(client);
		const first = await bookWithKey(client, 'abc-123', place);
		expect((await bookWithKey(client, '"abc-123"', place)).text).toBe(first.text);
	});

	test.each(['x', 'x'.repeat(255), '!#$%&()*+,-./:;<=>?@[]^_`{|}~', '8e03978e-40d5-43dd-bc93-6894a57f9324'])(
		'When it is %s, then it is taken',
		async (key) => {
			const client = newAccount();
			const place = await slotOn(client);
			const first = (await bookWithKey(client, key, place)).mustBe(201);
			expect((await bookWithKey(client, key, place)).mustBe(201)).toEqual(first);
		},
	);

	test.each(['', '""', 'x'.repeat(256), 'with space', 'ümlaut', '"open'])(
		'When it is "%s", then it is 400 and named',
		async (key) => {
			const client = newAccount();
			const place = await slotOn(client);
			const header = Buffer.from(key).toString('latin1');
			expectRefusal(await bookWithKey(client, header, place), 400, 'Idempotency-Key');
			expect(await activeBookings(client, place.service.id)).toHaveLength(0);
		},
	);

	test('When keys differ in case, then they are two', async () => {
		const client = newAccount();
		const place = await slotOn(client, { max_bookings: 2 });
		const one = (await bookWithKey(client, 'key', place)).mustBe(201);
		expect((await bookWithKey(client, 'KEY', place)).mustBe(201).id).not.toBe(one.id);
	});
});

describe('Many at once under one key (I2)', () => {
	test('When 100 creates carry one key, one customer and one place, then there is one booking and one answer', async () => {
		const client = newAccount();
		const place = await slotOn(client);
		const customer = newCustomer();
		const answers = await Promise.all(Array.from({ length: 100 }, () => bookWithKey(client, 'k', place, customer)));
		const created = answers.filter((answer) => answer.status === 201);
		expect(created.length).toBeGreaterThan(0);
		expect(new Set(created.map((answer) => answer.text)).size).toBe(1);
		expect(created.filter((answer) => answer.headers['idempotent-replayed'] === undefined)).toHaveLength(1);
		for (const answer of answers.filter(({ status }) => status !== 201)) {
			expect([answer.status, answer.headers['retry-after']]).toEqual([409, '1']);
		}
		expect(await activeBookings(client, place.service.id)).toHaveLength(1);
		const events = await eventsUpTo(client, 1);
		expect(events).toHaveLength(1);
	});

	test('When 30 services carry one key, then one is created', async () => {
		const client = newAccount();
		const headers = { 'idempotency-key': 'k' };
		const body = serviceBody({ time_slots: [slotInput(), slotInput()] });
		const answers = await Promise.all(
			Array.from({ length: 30 }, () => client.post<Service>('/v1/services', body, { headers })),
		);
		expect(new Set(answers.filter(({ status }) => status === 201).map((answer) => answer.text)).size).toBe(1);
		for (const answer of answers.filter(({ status }) => status !== 201)) expect(answer.status).toBe(409);
		const list = await client.get<{ services: Service[] }>('/v1/services');
		expect(list.mustBe(200).services).toHaveLength(1);
		const slots = await client.get<{ time_slots: unknown[] }>('/v1/time-slots');
		expect(slots.mustBe(200).time_slots).toHaveLength(2);
	});
});
