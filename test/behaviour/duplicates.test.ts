import { describe, expect, test } from '@jest/globals';
import { plusDays } from '../support/calendar.ts';
import { expectError } from '../support/expectations.ts';
import { activeBookings, book, slotOn, tryToBook } from '../support/scheduling.ts';
import { newAccount } from '../support/shared-product.ts';

const ADA = { customer_email: 'ada@example.com' };

describe('The same customer twice (contract §4)', () => {
	test('When the address is the same but for its case, then it is `duplicate booking`', async () => {
		const client = newAccount();
		const place = await slotOn(client, { max_bookings: 5 });
		await book(client, place, ADA);
		for (const customer_email of ['ada@example.com', 'ADA@Example.COM']) {
			expectError(await tryToBook(client, place, { customer_email }), 400, 'duplicate booking');
		}
		await book(client, place, { customer_email: 'ada2@example.com' });
	});

	test('When there is no address, then the phone number tells', async () => {
		const client = newAccount();
		const place = await slotOn(client, { max_bookings: 5 });
		await book(client, place, { customer_phone: '+15550100' });
		expectError(await tryToBook(client, place, { customer_phone: '+15550100' }), 400, 'duplicate booking');
		await book(client, place, { customer_phone: '+15550101' });
	});

	test('When the phone numbers are the same but an address is given, then the address tells', async () => {
		const client = newAccount();
		const place = await slotOn(client, { max_bookings: 5 });
		const customer_phone = '+15550100';
		await book(client, place, { customer_email: 'one@example.com', customer_phone });
		await book(client, place, { customer_email: 'two@example.com', customer_phone });
		await book(client, place, { customer_phone });
		expectError(await tryToBook(client, place, { customer_phone }), 400, 'duplicate booking');
	});

	test('When neither is given, then no duplicate can be told, whatever the name', async () => {
		const client = newAccount();
		const place = await slotOn(client, { max_bookings: 3 });
		for (let number = 0; number < 3; number++) await book(client, place, { customer_name: 'Ada' });
	});

	test('When slot, date or account is another one, then it is no duplicate', async () => {
		const client = newAccount();
		const [one, two] = [await slotOn(client, { max_bookings: 5 }), await slotOn(client, { max_bookings: 5 })];
		await book(client, one, ADA);
		await book(client, two, ADA);
		await book(client, { ...one, date: plusDays(one.date, 7) }, ADA);
		const other = newAccount();
		await book(other, await slotOn(other), ADA);
	});

	test('When the first booking is cancelled or deleted, then a second one is no duplicate', async () => {
		const client = newAccount();
		const place = await slotOn(client, { max_bookings: 5 });
		const one = await book(client, place, ADA);
		(await client.patch(`/v1/bookings/${one.id}`, { status: 'cancelled', cancel_reason: 'x' })).mustBe(200);
		const two = await book(client, place, ADA);
		(await client.delete(`/v1/bookings/${two.id}`)).mustBe(200);
		await book(client, place, ADA);
	});

	test('When a customer sends 100 creates at once, then one is booked and 99 are told `duplicate booking`', async () => {
		const client = newAccount();
		const place = await slotOn(client, { max_bookings: 50 });
		const answers = await Promise.all(Array.from({ length: 100 }, () => tryToBook(client, place, ADA)));
		expect(answers.filter((answer) => answer.status === 201)).toHaveLength(1);
		for (const answer of answers.filter(({ status }) => status !== 201)) expectError(answer, 400, 'duplicate booking');
		expect(await activeBookings(client, place.service.id)).toHaveLength(1);
	});

	test('When the slot has one place, then the customer’s second create is `duplicate booking`, not full', async () => {
		const client = newAccount();
		const place = await slotOn(client);
		const answers = await Promise.all(Array.from({ length: 30 }, () => tryToBook(client, place, ADA)));
		expect(answers.filter((answer) => answer.status === 201)).toHaveLength(1);
		for (const answer of answers.filter(({ status }) => status !== 201)) expectError(answer, 400, 'duplicate booking');
	});
});

describe('A customer who becomes the same (contract §4)', () => {
	test('When PATCH customer makes a duplicate, then it is 400 and nothing is changed', async () => {
		const client = newAccount();
		const place = await slotOn(client, { max_bookings: 5 });
		await book(client, place, ADA);
		const other = await book(client, place, { customer_email: 'other@example.com' });
		const path = `/v1/bookings/${other.id}/customer`;
		expectError(await client.patch(path, { email: 'ADA@example.com' }), 400, 'duplicate booking');
		expect((await client.get(path)).mustBe(200)).toEqual(other.customer);
	});

	test('When an address is cleared, then the phone number tells from then on', async () => {
		const client = newAccount();
		const place = await slotOn(client, { max_bookings: 5 });
		const customer_phone = '+15550100';
		await book(client, place, { customer_phone });
		const other = await book(client, place, { customer_email: 'a@example.com', customer_phone });
		expectError(await client.patch(`/v1/bookings/${other.id}/customer`, { email: null }), 400, 'duplicate booking');
		(await client.patch(`/v1/bookings/${other.id}/customer`, { phone: '+15550101' })).mustBe(200);
		(await client.patch(`/v1/bookings/${other.id}/customer`, { email: null })).mustBe(200);
	});

	test('When an address is changed, then the old one is free and the new one is taken', async () => {
		const client = newAccount();
		const place = await slotOn(client, { max_bookings: 5 });
		const booking = await book(client, place, ADA);
		(await client.patch(`/v1/bookings/${booking.id}/customer`, { email: 'new@example.com' })).mustBe(200);
		expectError(await tryToBook(client, place, { customer_email: 'new@example.com' }), 400, 'duplicate booking');
		await book(client, place, ADA);
	});

	test('When a cancelled booking gets a taken address, then it may, but may not come back', async () => {
		const client = newAccount();
		const place = await slotOn(client, { max_bookings: 5 });
		await book(client, place, ADA);
		const other = await book(client, place, { customer_email: 'other@example.com' });
		const path = `/v1/bookings/${other.id}`;
		(await client.patch(path, { status: 'cancelled', cancel_reason: 'x' })).mustBe(200);
		(await client.patch(`${path}/customer`, { email: ADA.customer_email })).mustBe(200);
		expectError(await client.patch(path, { status: 'confirmed' }), 400, 'duplicate booking');
	});

	test('When two bookings get the same address at once, then one does', async () => {
		const client = newAccount();
		const place = await slotOn(client, { max_bookings: 5 });
		const bookings = [await book(client, place), await book(client, place), await book(client, place)];
		const changes = bookings.map(({ id }) => client.patch(`/v1/bookings/${id}/customer`, { email: 'x@example.com' }));
		const statuses = (await Promise.all(changes)).map((answer) => answer.status);
		expect(statuses.sort()).toEqual([200, 400, 400]);
	});
});
