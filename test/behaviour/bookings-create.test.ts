import { describe, expect, test } from '@jest/globals';
import type { Booking } from '../../shared/contract/schemas/booking.ts';
import { dateOn } from '../support/calendar.ts';
import { expectError, expectRefusal, TIMESTAMP } from '../support/expectations.ts';
import { book, bookingBody, createService, getBooking, slotOn, tryToBook } from '../support/scheduling.ts';
import { newAccount } from '../support/shared-product.ts';

const FIELDS = [
	'id',
	'service_id',
	'date',
	'time_slot_id',
	'starts_at',
	'ends_at',
	'timezone',
	'status',
	'expires_at',
	'message',
	'metadata',
	'customer',
	'customer_id',
	'time_slot',
	'user_id',
	'version',
	'created_at',
	'updated_at',
];

describe('Creating a booking (contract §4)', () => {
	test('When a booking is created, then it is 201, pending, with Location and every field of the description', async () => {
		const client = newAccount();
		const place = await slotOn(client);
		const given = {
			customer_name: 'Ada',
			customer_email: 'Ada@Example.com',
			customer_phone: '+15550100',
			message: 'Hi',
		};
		const answer = await tryToBook(client, place, given);
		const booking = answer.mustBe(201);
		expect(Object.keys(booking).sort()).toEqual([...FIELDS].sort());
		expect(booking).toMatchObject({
			service_id: place.service.id,
			date: place.date,
			time_slot_id: place.slot.id,
			status: 'pending',
			message: 'Hi',
			time_slot: place.slot,
			user_id: place.service.provider_id,
			version: 1,
			customer: { name: 'Ada', email: 'Ada@Example.com', phone: '+15550100' },
		});
		expect(booking.customer_id).toBe(booking.customer.id);
		expect(answer.headers.location).toBe(`/v1/bookings/${booking.id}`);
		expect(answer.headers.etag).toBe('"1"');
		expect(booking.created_at).toMatch(TIMESTAMP);
		expect(booking.updated_at).toBe(booking.created_at);
		expect(await getBooking(client, booking.id)).toEqual(booking);
	});

	test('When no customer is given, then the booking still has a customer record of its own', async () => {
		const client = newAccount();
		const place = await slotOn(client, { max_bookings: 2 });
		const [one, two] = [await book(client, place), await book(client, place)];
		expect(one.customer).toMatchObject({ name: null, email: null, phone: null });
		expect(one.customer.id).not.toBe(two.customer.id);
		expect((await client.get(`/v1/bookings/${one.id}/customer`)).mustBe(200)).toEqual(one.customer);
	});

	test('When service_id is given, in the query, the body or both, then it may be the slot’s service', async () => {
		const client = newAccount();
		const place = await slotOn(client, { max_bookings: 3 });
		const { id } = place.service;
		const body = bookingBody(place);
		(await client.post(`/v1/bookings?service_id=${id}`, body)).mustBe(201);
		(await client.post('/v1/bookings', { ...body, service_id: id })).mustBe(201);
		(await client.post(`/v1/bookings?service_id=${id}`, { ...body, service_id: id })).mustBe(201);
	});

	test('When service_id is not the slot’s service, then it is 404 `time slot not found`', async () => {
		const client = newAccount();
		const place = await slotOn(client);
		const other = await createService(client);
		const body = bookingBody(place);
		expectError(await client.post(`/v1/bookings?service_id=${other.id}`, body), 404, 'time slot not found');
		expectError(await client.post('/v1/bookings', { ...body, service_id: other.id }), 404, 'time slot not found');
	});

	test('When service_id differs in query and body, then it is 400', async () => {
		const client = newAccount();
		const place = await slotOn(client);
		const other = await createService(client);
		const body = bookingBody(place, { service_id: other.id });
		expectRefusal(await client.post(`/v1/bookings?service_id=${place.service.id}`, body), 400, 'service_id');
	});

	test('When the slot is unknown or another account’s, then it is 404', async () => {
		const [client, other] = [newAccount(), newAccount()];
		const place = await slotOn(client);
		const unknown = bookingBody(place, { time_slot_id: 9007199254740991 });
		expectError(await client.post('/v1/bookings', unknown), 404, 'time slot not found');
		expectError(await tryToBook(other, place), 404, 'time slot not found');
	});
});

describe('The date of a booking (contract §4)', () => {
	test('When the date falls on another day, then it is 400 and says which', async () => {
		const client = newAccount();
		const { slot } = await slotOn(client, { day_of_week: 1 });
		const answer = await client.post('/v1/bookings', { date: '2026-03-14', time_slot_id: slot.id });
		expectRefusal(answer, 400, `date: 2026-03-14 is a Saturday, time slot ${slot.id} is on Mondays`);
	});

	test.each([0, 1, 2, 3, 4, 5, 6])('When the slot is on day %p, then only dates of that day are taken', async (day) => {
		const client = newAccount();
		const place = await slotOn(client, { day_of_week: day, max_bookings: 9 });
		for (let other = 0; other < 7; other++) {
			const answer = await tryToBook(client, place, { date: dateOn(other) });
			expect(answer.status).toBe(other === day ? 201 : 400);
		}
	});

	test('When the date lies in the past or on a leap day, then it is taken', async () => {
		const client = newAccount();
		const place = await slotOn(client, { day_of_week: 6 });
		expect((await book(client, place, { date: '2020-02-29' })).date).toBe('2020-02-29');
		expect((await book(client, place, { date: '1999-12-25' })).date).toBe('1999-12-25');
	});

	test.each([
		'2026-02-29',
		'2026-02-30',
		'2026-13-01',
		'2026-00-10',
		'2026-01-00',
		'2026-1-5',
		'26-01-05',
		'2026-01-05T00:00:00Z',
		'2026-01-05 ',
		'20260105',
		'05.01.2026',
		'',
		'today',
		'+002026-01-05',
		'-2026-01-05',
	])('When the date is "%s", then it is 400 and named', async (date) => {
		const client = newAccount();
		expectRefusal(await tryToBook(client, await slotOn(client), { date }), 400, 'date');
	});

	test('When the date is no string or missing, then it is 400 and named', async () => {
		const client = newAccount();
		const place = await slotOn(client);
		for (const date of [20260105, true, [], {}, undefined]) {
			expectRefusal(await tryToBook(client, place, { date }), 400, 'date');
		}
	});
});

describe('The customer of a new booking (contract §4)', () => {
	const NO_EMAILS = [
		'a',
		'a@',
		'@b.c',
		'a b@c.de',
		'a@b@c.de',
		'a@b..de',
		'.a@b.de',
		'a@-b.de',
		`${'x'.repeat(250)}@b.de`,
	];
	test.each(NO_EMAILS)('When the address is "%s", then it is 400 and named', async (customer_email) => {
		const client = newAccount();
		expectRefusal(await tryToBook(client, await slotOn(client), { customer_email }), 400, 'customer_email');
	});

	const EMAILS = [
		'a@b.de',
		'first.last+tag@sub.example.co.uk',
		"o'neil_99%x@example.com",
		`${'x'.repeat(64)}@example.com`,
	];
	test.each(EMAILS)('When the address is %s, then it is taken and comes back as given', async (customer_email) => {
		const client = newAccount();
		const booking: Booking = await book(client, await slotOn(client), { customer_email });
		expect(booking.customer.email).toBe(customer_email);
	});

	const NO_PHONES = [
		'15550100',
		'+05550100',
		'+1',
		'+1234567890123456',
		'+1 555 0100',
		'+1-555-0100',
		'0015550100',
		'+１２３４',
		'+',
	];
	test.each(NO_PHONES)('When the phone number is "%s", then it is 400 and named', async (customer_phone) => {
		const client = newAccount();
		expectRefusal(await tryToBook(client, await slotOn(client), { customer_phone }), 400, 'customer_phone');
	});

	test.each(['+12', '+15550100', '+123456789012345'])(
		'When the phone number is %s, then it is taken',
		async (customer_phone) => {
			const client = newAccount();
			const booking = await book(client, await slotOn(client), { customer_phone });
			expect(booking.customer.phone).toBe(customer_phone);
		},
	);
});
