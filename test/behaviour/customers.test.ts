import { describe, expect, test } from '@jest/globals';
import type { Customer } from '../../shared/contract/schemas/booking.ts';
import { expectRefusal } from '../support/expectations.ts';
import { book, getBooking, slotOn } from '../support/scheduling.ts';
import { newAccount } from '../support/shared-product.ts';

const ADA = { customer_name: 'Ada', customer_email: 'ada@example.com', customer_phone: '+15550100' };

describe('The customer of a booking (contract §4)', () => {
	test('When it is read, then it is the booking’s, with the booking’s version as ETag', async () => {
		const client = newAccount();
		const booking = await book(client, await slotOn(client), ADA);
		const answer = await client.get<Customer>(`/v1/bookings/${booking.id}/customer`);
		expect(answer.mustBe(200)).toEqual(booking.customer);
		expect(Object.keys(answer.data).sort()).toEqual(['created_at', 'email', 'id', 'name', 'phone', 'updated_at']);
		expect(answer.headers.etag).toBe('"1"');
	});

	test('When it is changed, then it is, and the booking’s version and updated_at rise', async () => {
		const client = newAccount();
		const booking = await book(client, await slotOn(client), ADA);
		const change = { name: 'Grace', email: 'grace@example.com', phone: '+15550199' };
		const answer = await client.patch<Customer>(`/v1/bookings/${booking.id}/customer`, change);
		const customer = answer.mustBe(200);
		expect(customer).toEqual({ ...booking.customer, ...change, updated_at: customer.updated_at });
		expect(answer.headers.etag).toBe('"2"');
		const after = await getBooking(client, booking.id);
		expect(after).toEqual({ ...booking, customer, version: 2, updated_at: customer.updated_at });
		expect((await client.get(`/v1/bookings/${booking.id}/customer`)).mustBe(200)).toEqual(customer);
	});

	test('When only one field is given, then the others stay, and null clears', async () => {
		const client = newAccount();
		const booking = await book(client, await slotOn(client), ADA);
		const path = `/v1/bookings/${booking.id}/customer`;
		expect((await client.patch(path, { name: 'Grace' })).mustBe(200)).toMatchObject({
			name: 'Grace',
			email: 'ada@example.com',
		});
		expect((await client.patch(path, { email: null, phone: null })).mustBe(200)).toMatchObject({
			name: 'Grace',
			email: null,
			phone: null,
		});
	});

	test('When a PATCH changes nothing, then version and updated_at stay', async () => {
		const client = newAccount();
		const booking = await book(client, await slotOn(client), ADA);
		for (const body of [{}, { name: 'Ada' }, { email: 'ada@example.com' }]) {
			expect((await client.patch(`/v1/bookings/${booking.id}/customer`, body)).mustBe(200)).toEqual(booking.customer);
		}
		expect(await getBooking(client, booking.id)).toEqual(booking);
	});

	test('When only the case of an address changes, then that is a change and no duplicate', async () => {
		const client = newAccount();
		const booking = await book(client, await slotOn(client), ADA);
		const changed = await client.patch<Customer>(`/v1/bookings/${booking.id}/customer`, { email: 'ADA@example.com' });
		expect(changed.mustBe(200).email).toBe('ADA@example.com');
	});

	test('When a field is invalid, then it is 400 and named, and nothing is changed', async () => {
		const client = newAccount();
		const booking = await book(client, await slotOn(client), ADA);
		const path = `/v1/bookings/${booking.id}/customer`;
		expectRefusal(await client.patch(path, { email: 'nobody', name: 'X' }), 400, 'email');
		expectRefusal(await client.patch(path, { phone: '0815' }), 400, 'phone');
		expectRefusal(await client.patch(path, { name: 'x'.repeat(256) }), 400, 'name');
		expect((await client.get(path)).mustBe(200)).toEqual(booking.customer);
	});

	test('When the customer of a cancelled booking is changed, then it is', async () => {
		const client = newAccount();
		const booking = await book(client, await slotOn(client), ADA);
		(await client.patch(`/v1/bookings/${booking.id}`, { status: 'cancelled', cancel_reason: 'x' })).mustBe(200);
		(await client.patch(`/v1/bookings/${booking.id}/customer`, { name: 'Grace' })).mustBe(200);
		expect(await getBooking(client, booking.id)).toMatchObject({
			status: 'cancelled',
			version: 3,
			customer: { name: 'Grace' },
		});
	});
});
