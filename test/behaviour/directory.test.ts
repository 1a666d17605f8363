import { describe, expect, test } from '@jest/globals';
import type { Booking } from '../../shared/contract/schemas/booking.ts';
import type { CustomerList, DirectoryCustomer, PersonExport } from '../../shared/contract/schemas/customer.ts';
import { plusDays } from '../support/calendar.ts';
import { expectRefusal } from '../support/expectations.ts';
import { eventsOf } from '../support/feed.ts';
import type { Client } from '../support/http-client.ts';
import { book, newCustomer, slotOn } from '../support/scheduling.ts';
import { newAccount } from '../support/shared-product.ts';
import { until } from '../support/until.ts';

type Query = Record<string, string | number>;

async function customersOf(client: Client, query: Query = {}): Promise<CustomerList> {
	return (await client.get<CustomerList>('/v1/customers', { query })).mustBe(200);
}

async function exportOf(client: Client, query: Query): Promise<PersonExport> {
	return (await client.get<PersonExport>('/v1/customers/export', { query })).mustBe(200);
}

function entryOf({ id, service_id, date, status, customer }: Booking): DirectoryCustomer {
	const { name, email, phone } = customer;
	return { id: customer.id, name, email, phone, booking_id: id, service_id, date, status };
}

describe('C1: The directory of customers', () => {
	test('C1: When bookings were made, then it has an entry of each, the newest first, and is read in pages', async () => {
		const client = newAccount();
		const place = await slotOn(client, { max_bookings: 5 });
		const bookings: Booking[] = [];
		for (let i = 0; i < 5; i++) bookings.unshift(await book(client, place, newCustomer()));
		await until(async () => (await customersOf(client)).customers.length === 5);
		const { customers, pagination } = await customersOf(client);
		expect(customers).toEqual(bookings.map(entryOf));
		expect(Object.keys(customers[0]!)).toEqual(Object.keys(entryOf(bookings[0]!)));
		expect(pagination).toMatchObject({ page: 1, total_items: 5, total_pages: 1 });
		const second = await customersOf(client, { page: 2, page_size: 2 });
		expect(second.customers).toEqual(bookings.slice(2, 4).map(entryOf));
		expect((await customersOf(client, { page: 9, page_size: 2 })).customers).toEqual([]);
	});

	test('C1: When an address or number is asked for, then it tells theirs, whatever the case, and nobody else’s', async () => {
		const client = newAccount();
		const place = await slotOn(client, { max_bookings: 5 });
		const theirs = await book(client, place, {
			customer_name: 'Ada',
			customer_email: 'Ada.Directory@Example.com',
			customer_phone: '+15550100',
		});
		const byPhone = await book(client, place, { customer_phone: '+15550100' });
		await book(client, place, newCustomer());
		await book(client, place);
		await until(async () => (await customersOf(client)).customers.length === 4);
		for (const email of ['ada.directory@example.com', 'ADA.DIRECTORY@EXAMPLE.COM']) {
			expect((await customersOf(client, { email })).customers).toEqual([entryOf(theirs)]);
		}
		const phone = '+15550100';
		expect((await customersOf(client, { phone })).customers).toEqual([entryOf(byPhone), entryOf(theirs)]);
		const both = await customersOf(client, { phone, email: 'ada.directory@example.com' });
		expect(both.customers).toEqual([entryOf(theirs)]);
		expect(both.pagination.total_items).toBe(1);
		expect((await customersOf(client, { email: 'nobody@example.com' })).customers).toEqual([]);
		expect((await customersOf(newAccount(), { phone })).customers).toEqual([]);
	});

	test('C1: When a booking is cancelled, given to somebody else or deleted, then the directory follows within a second', async () => {
		const client = newAccount();
		const place = await slotOn(client, { max_bookings: 3 });
		const booking = await book(client, place, { customer_email: 'first@example.com' });
		await client.patch(`/v1/bookings/${booking.id}`, { status: 'cancelled', cancel_reason: 'ill' });
		await until(async () => (await customersOf(client)).customers[0]?.status === 'cancelled');
		await client.patch(`/v1/bookings/${booking.id}/customer`, { email: 'second@example.com' });
		await until(async () => (await customersOf(client, { email: 'second@example.com' })).customers.length === 1);
		expect((await customersOf(client, { email: 'first@example.com' })).customers).toEqual([]);
		await client.delete(`/v1/bookings/${booking.id}`);
		await until(async () => (await customersOf(client)).customers.length === 0);
		expect((await customersOf(client, { email: 'second@example.com' })).customers).toEqual([]);
	});

	test.each([
		['a filter that does not exist', { name: 'Ada' }, 'name'],
		['no address', { email: 'ada' }, 'email'],
		['no number', { phone: '15550100' }, 'phone'],
		['no page', { page: 0 }, 'page'],
	])('C1: When %s is asked for, then it is 400 and named', async (_, query, field) => {
		expectRefusal(await newAccount().get('/v1/customers', { query: query as unknown as Query }), 400, field);
	});
});

describe('C1: An export of what is kept about a person', () => {
	test('C1: When somebody asks, then bookings, first answers, events and deliveries of the person are in it, and nobody else’s', async () => {
		const client = newAccount();
		const place = await slotOn(client, { max_bookings: 9 });
		const email = 'export@example.com';
		const webhook = (await client.post<{ id: number }>('/v1/webhooks', { url: 'https://192.0.2.1/', events: ['*'] }))
			.data;
		const first = await book(client, place, { customer_email: email, message: 'by the window' });
		await client.delete(`/v1/bookings/${first.id}`);
		const body = { date: place.date, time_slot_id: place.slot.id, customer_email: 'Export@Example.com' };
		const second = (await client.post<Booking>('/v1/bookings', body, { headers: { 'Idempotency-Key': 'e1' } })).mustBe(
			201,
		);
		await book(client, place, { customer_email: 'other@example.com' });
		const later = { ...place, date: plusDays(place.date, 7) };
		const given = await book(client, later, { customer_email: 'giver@example.com' });
		(await client.patch(`/v1/bookings/${given.id}/customer`, { email, name: 'Taker' })).mustBe(200);
		await until(async () => (await eventsOf(client)).length === 6);
		const theirs = (await eventsOf(client)).filter(({ data }) => data.customer.email?.toLowerCase() === email);
		const events = theirs.sort((a, b) => a.data.id - b.data.id || a.sequence - b.sequence);
		const told = await until(async () => {
			const found = await exportOf(client, { email: 'EXPORT@example.com' });
			const sent = found.events.every(({ deliveries }) => deliveries.length === 1);
			return found.events.length === events.length && sent && found;
		});
		expect(told.bookings.map(({ id }) => id)).toEqual([second.id, given.id]);
		expect(told.bookings[0]).toEqual(second);
		expect(told.first_answers.map(({ answer }) => answer)).toEqual([second]);
		expect(told.events.map(({ event }) => event)).toEqual(events);
		expect(told.events[0]!.deliveries[0]).toMatchObject({ webhook_id: webhook!.id });
		expect(told).toMatchObject({ email, phone: null, has_more: false, next_after: given.id });
		expect(JSON.stringify(told)).not.toContain('other@example.com');
		const nothing = { bookings: [], events: [], first_answers: [], has_more: false };
		expect(await exportOf(newAccount(), { email })).toMatchObject(nothing);
		const former = await exportOf(client, { email: 'giver@example.com' });
		expect(former.bookings).toEqual([]);
		expect(former.events.map(({ event }) => event.type)).toEqual(['booking.created', 'booking.updated']);
	});

	test('C1: When a phone number is asked for, then what has that number is told', async () => {
		const client = newAccount();
		const place = await slotOn(client, { max_bookings: 2 });
		const booking = await book(client, place, { customer_phone: '+15550107', customer_name: 'Grace' });
		await book(client, place, { customer_phone: '+15550108' });
		const told = await until(async () => {
			const found = await exportOf(client, { phone: '+15550107' });
			return found.events.length === 1 && found;
		});
		expect(told.bookings).toEqual([booking]);
		expect(told).toMatchObject({ email: null, phone: '+15550107' });
	});

	test('C1: When neither or both of email and phone are asked for, then it is 400 and named', async () => {
		const client = newAccount();
		expectRefusal(await client.get('/v1/customers/export'), 400, 'email');
		const both = { email: 'ada@example.com', phone: '+15550100' };
		expectRefusal(await client.get('/v1/customers/export', { query: both }), 400, 'phone');
	});

	test('C1: When there are bookings behind `after` only, then it tells those', async () => {
		const client = newAccount();
		const place = await slotOn(client, { max_bookings: 3 });
		const ids: number[] = [];
		const dates = ['2026-12-07', '2026-12-14', '2026-12-21'];
		for (const date of dates)
			ids.push((await book(client, { ...place, date }, { customer_email: 'x@example.com' })).id);
		const told = await exportOf(client, { email: 'x@example.com', after: ids[0]! });
		expect(told.bookings.map(({ id }) => id)).toEqual(ids.slice(1));
		expect(told).toMatchObject({ has_more: false, next_after: ids[2] });
	});
});
