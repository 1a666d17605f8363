import { describe, expect, test } from '@jest/globals';
import type { Booking } from '../../shared/contract/schemas/booking.ts';
import type { Service } from '../../shared/contract/schemas/service.ts';
import { expectError, expectRefusal } from '../support/expectations.ts';
import {
	book,
	bookingBody,
	createService,
	getBooking,
	newCustomer,
	serviceBody,
	slotInput,
	slotOn,
} from '../support/scheduling.ts';
import { newAccount } from '../support/shared-product.ts';

const JSON_TYPE = { headers: { 'content-type': 'application/json' } };

describe('Bodies (contract §1)', () => {
	test.each(['', '{', '{"name":}', "{'name':'x'}", '{"name":"x"', 'undefined', '{"a":1}{"b":2}', 'NaN'])(
		'When the body is the malformed %s, then it is 400 `malformed JSON`',
		async (raw) => {
			expectError(await newAccount().post('/v1/services', undefined, { raw, ...JSON_TYPE }), 400, 'malformed JSON');
		},
	);

	test.each(['[]', '"text"', '1', 'true', 'null', '[{"name":"x"}]'])(
		'When the body is %s and no object, then it is 400',
		async (raw) => {
			expectRefusal(await newAccount().post('/v1/services', undefined, { raw, ...JSON_TYPE }), 400);
		},
	);

	test('A8: When JSON is nested 21 deep, then it is 400', async () => {
		const client = newAccount();
		const raw = `{"name":"x","timezone":"UTC","provider":${'['.repeat(40)}${']'.repeat(40)}}`;
		expectRefusal(await client.post('/v1/services', undefined, { raw, ...JSON_TYPE }), 400);
		const bomb = `${'['.repeat(30_000)}${']'.repeat(30_000)}`;
		expectRefusal(await client.post('/v1/services', undefined, { raw: bomb, ...JSON_TYPE }), 400);
	});

	test('When a field is one that the resource has but the operation does not take, then it is ignored', async () => {
		const client = newAccount();
		const extras = {
			id: 1,
			created_at: 'yesterday',
			provider_id: 'someone',
			bookings_count: 99,
			provider: {},
			version: 7,
		};
		const service = (await client.post<Service>('/v1/services', serviceBody(extras))).mustBe(201);
		expect(service).toMatchObject({ version: 1, bookings_count: 0 });
		expect(service.provider_id).not.toBe('someone');
		const place = await slotOn(client);
		const more = {
			id: 1,
			status: 'confirmed',
			cancel_reason: 'x',
			user_id: 'me',
			customer: { name: 'No' },
			customer_id: 5,
		};
		const booking = await book(client, place, more);
		expect(booking).toMatchObject({ status: 'pending', version: 1, customer: { name: null } });
		expect(booking).not.toHaveProperty('cancel_reason');
	});

	test('When a service goes GET, change, PATCH, then it round-trips', async () => {
		const client = newAccount();
		const { id } = await createService(client, { description: 'x', time_slots: [slotInput()] });
		const service = (await client.get<Service>(`/v1/services/${id}`)).mustBe(200);
		const changed = (await client.patch<Service>(`/v1/services/${id}`, { ...service, name: 'New name' })).mustBe(200);
		expect(changed).toMatchObject({ name: 'New name', description: 'x', version: service.version + 1 });
	});

	test('When a booking goes GET, change, PATCH, then it round-trips, cancelled as well', async () => {
		const client = newAccount();
		const { id } = await book(client, await slotOn(client), newCustomer());
		const booking = await getBooking(client, id);
		(await client.patch(`/v1/bookings/${id}`, { ...booking, message: 'Hello' })).mustBe(200);
		const change = { ...(await getBooking(client, id)), status: 'cancelled', cancel_reason: 'Ill' };
		(await client.patch(`/v1/bookings/${id}`, change)).mustBe(200);
		const cancelled = await getBooking(client, id);
		const again = (await client.patch<Booking>(`/v1/bookings/${id}`, { ...cancelled, message: 'Bye' })).mustBe(200);
		expect(again).toMatchObject({ status: 'cancelled', cancel_reason: 'Ill', message: 'Bye' });
	});

	test('When a customer goes GET, change, PATCH, then it round-trips', async () => {
		const client = newAccount();
		const { id } = await book(client, await slotOn(client), newCustomer());
		const customer = (await client.get<Record<string, unknown>>(`/v1/bookings/${id}/customer`)).mustBe(200);
		const changed = (await client.patch(`/v1/bookings/${id}/customer`, { ...customer, phone: '+15550100' })).mustBe(
			200,
		);
		expect(changed).toMatchObject({ id: customer.id, email: customer.email, phone: '+15550100' });
	});

	test('When a field is one that the resource does not have, then it is 400 and named, and nothing is written', async () => {
		const client = newAccount();
		const place = await slotOn(client);
		const booking = await book(client, place);
		expectRefusal(await client.post('/v1/services', serviceBody({ titel: 'x' })), 400, 'titel');
		expectRefusal(await client.patch(`/v1/services/${place.service.id}`, { name: 'B', colour: 1 }), 400, 'colour');
		expectRefusal(await client.post('/v1/bookings', bookingBody(place, { custmer_name: 'x' })), 400, 'custmer_name');
		expectRefusal(await client.patch(`/v1/bookings/${booking.id}`, { statuss: 'confirmed' }), 400, 'statuss');
		expectRefusal(await client.patch(`/v1/bookings/${booking.id}/customer`, { mail: 'a@b.c' }), 400, 'mail');
		const slots = { time_slots: [slotInput(), { ...slotInput(), maxbookings: 3 }] };
		expectRefusal(await client.post('/v1/services', serviceBody(slots)), 400, 'time_slots[1]', 'maxbookings');
		const change = { time_slots: [{ id: place.slot.id, max: 3 }] };
		expectRefusal(await client.patch('/v1/time-slots', change), 400, 'time_slots[0]', 'max');
		expect((await client.get(`/v1/services/${place.service.id}`)).mustBe(200)).toMatchObject({ name: 'Piano lesson' });
		expect(await getBooking(client, booking.id)).toEqual(booking);
	});

	test.each(['__proto__', 'constructor', 'prototype', '$set', '$where', 'a.b', 'customer.email', '$'])(
		'A6: When a key of the body is %s, then it is 400, at any depth',
		async (key) => {
			const client = newAccount();
			const place = await slotOn(client);
			const booking = await book(client, place);
			const asText = (body: Record<string, unknown>, value: string) =>
				JSON.stringify({ ...body, placeholder: 0 }).replace('"placeholder":0', `${JSON.stringify(key)}:${value}`);
			const send = (method: string, path: string, raw: string) => client.request(method, path, { raw, ...JSON_TYPE });
			expectRefusal(await send('POST', '/v1/services', asText(serviceBody(), '{"isAdmin":true}')), 400);
			expectRefusal(await send('POST', '/v1/bookings', asText(bookingBody(place), '1')), 400);
			expectRefusal(await send('PATCH', `/v1/bookings/${booking.id}`, asText({}, '{"status":"confirmed"}')), 400);
			const nested = JSON.stringify(serviceBody({ provider: { placeholder: 0 } }));
			expectRefusal(
				await send('POST', '/v1/services', nested.replace('"placeholder":0', `${JSON.stringify(key)}:1`)),
				400,
			);
			expect(await getBooking(client, booking.id)).toEqual(booking);
		},
	);

	test('When a query parameter carries the name of a body field, then it never stands in for it', async () => {
		const client = newAccount();
		const place = await slotOn(client);
		const query = `date=${place.date}&time_slot_id=${place.slot.id}`;
		expectRefusal(await client.post(`/v1/bookings?${query}`, {}), 400);
		expectRefusal(await client.post(`/v1/bookings?time_slot_id=${place.slot.id}`, { date: place.date }), 400);
		expectRefusal(await client.post('/v1/services?name=x', { timezone: 'UTC' }), 400);
	});

	test('When the body carries another id than the path, then the path counts', async () => {
		const client = newAccount();
		const one = await createService(client, { name: 'One' });
		const two = await createService(client, { name: 'Two' });
		(await client.patch(`/v1/services/${one.id}`, { id: two.id, name: 'Changed' })).mustBe(200);
		expect((await client.get(`/v1/services/${two.id}`)).mustBe(200)).toMatchObject({ name: 'Two' });
	});

	test('When null is given for an optional field, then it is not set, on create and on PATCH', async () => {
		const client = newAccount();
		const place = await slotOn(client, { max_bookings: 2 });
		const service = await createService(client, { description: null, time_slots: null });
		expect(service.description).toBeNull();
		const nulls = { customer_name: null, customer_email: null, customer_phone: null, message: null, service_id: null };
		expect(await book(client, place, nulls)).toMatchObject({ message: null, customer: { name: null, email: null } });
		const booking = await book(client, place, { message: 'x' });
		expect((await client.patch(`/v1/bookings/${booking.id}`, { message: null })).mustBe(200)).toMatchObject({
			message: null,
		});
		(await client.patch(`/v1/services/${service.id}`, { description: 'x' })).mustBe(200);
		const cleared = (await client.patch(`/v1/services/${service.id}`, { description: null })).mustBe(200);
		expect(cleared).toMatchObject({ description: null });
	});

	test('When null is given for any other field, then it is 400 and named', async () => {
		const client = newAccount();
		const place = await slotOn(client);
		const booking = await book(client, place);
		for (const name of ['name', 'timezone']) {
			expectRefusal(await client.post('/v1/services', serviceBody({ [name]: null })), 400, name);
			expectRefusal(await client.patch(`/v1/services/${place.service.id}`, { [name]: null }), 400, name);
		}
		for (const name of ['date', 'time_slot_id']) {
			expectRefusal(await client.post('/v1/bookings', bookingBody(place, { [name]: null })), 400, name);
		}
		for (const name of ['date', 'status']) {
			expectRefusal(await client.patch(`/v1/bookings/${booking.id}`, { [name]: null }), 400, name);
		}
		for (const name of ['day_of_week', 'start_time', 'end_time', 'max_bookings']) {
			const time_slots = [{ ...slotInput(), [name]: null }];
			expectRefusal(await client.post('/v1/services', serviceBody({ time_slots })), 400, name);
			const change = { time_slots: [{ id: place.slot.id, [name]: null }] };
			expectRefusal(await client.patch('/v1/time-slots', change), 400, name);
		}
	});

	test('When an id in a body is no integer from 1 to 2^53-1, then it is 400 and named', async () => {
		const client = newAccount();
		const place = await slotOn(client);
		for (const id of [0, -1, 1.5, '1', String(place.slot.id), true, [], {}, 9007199254740992, 1e300]) {
			expectRefusal(await client.post('/v1/bookings', bookingBody(place, { time_slot_id: id })), 400, 'time_slot_id');
			expectRefusal(await client.post('/v1/bookings', bookingBody(place, { service_id: id })), 400, 'service_id');
			expectRefusal(await client.patch('/v1/time-slots', { time_slots: [{ id, max_bookings: 1 }] }), 400, 'id');
		}
	});

	test('When several fields are wrong, then the text names every one of them', async () => {
		const wrong = { name: 5, description: 7, timezone: false, time_slots: [{ ...slotInput(), day_of_week: 7 }] };
		const answer = await newAccount().post('/v1/services', wrong);
		expectRefusal(answer, 400, 'name', 'description', 'timezone', 'time_slots[0].day_of_week');
	});

	test('When an operation takes no body, then body and content type are ignored', async () => {
		const client = newAccount();
		const { id } = await createService(client);
		const odd = { raw: '{"broken', headers: { 'content-type': 'text/plain' } };
		expect((await client.get(`/v1/services/${id}`, odd)).status).toBe(200);
		expect((await client.get('/v1/services', { raw: '{"broken', ...JSON_TYPE })).status).toBe(200);
		(await client.delete(`/v1/services/${id}`, { raw: '{"broken', ...JSON_TYPE })).mustBe(200);
	});
});
