import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Booking } from '../../shared/contract/schemas/booking.ts';
import type { TimeSlot } from '../../shared/contract/schemas/time-slot.ts';
import { dateOn } from '../support/calendar.ts';
import { expectRefusal } from '../support/expectations.ts';
import type { Client } from '../support/http-client.ts';
import { book, createService, slotInput, slotOn, slotsOf } from '../support/scheduling.ts';
import { newAccount } from '../support/shared-product.ts';

let client: Client;
let serviceId: number;
let slots: TimeSlot[];
let bookings: Booking[];

/** Two slots × three Mondays, each with Ada (pending), Grace (confirmed) and somebody without an address (cancelled). */
beforeAll(async () => {
	client = newAccount();
	serviceId = (
		await createService(client, { time_slots: [slotInput({ max_bookings: 9 }), slotInput({ max_bookings: 9 })] })
	).id;
	slots = await slotsOf(client, serviceId);
	bookings = [];
	for (const slot of slots) {
		for (const week of [0, 1, 2]) {
			const place = { slot, date: dateOn(1, week) };
			const ada = await book(client, place, { customer_email: 'Ada@Example.com' });
			const grace = await book(client, place, { customer_email: 'grace@example.com' });
			const nobody = await book(client, place);
			const confirmed = (await client.patch<Booking>(`/v1/bookings/${grace.id}`, { status: 'confirmed' })).mustBe(200);
			const cancel = { status: 'cancelled', cancel_reason: 'x' };
			const cancelled = (await client.patch<Booking>(`/v1/bookings/${nobody.id}`, cancel)).mustBe(200);
			bookings.push(ada, confirmed, cancelled);
		}
	}
	bookings.sort((a, b) => a.id - b.id);
});

async function list(query: Record<string, string | number>): Promise<Booking[]> {
	const answer = await client.get<{ bookings: Booking[]; pagination: { total_items: number } }>('/v1/bookings', {
		query: { service_id: serviceId, page: 1, page_size: 100, ...query },
	});
	const { bookings: found, pagination } = answer.mustBe(200);
	expect(pagination.total_items).toBe(found.length);
	return found;
}

const matching = (condition: (booking: Booking) => boolean) => bookings.filter(condition);

describe('Listing bookings (contract §2, §4)', () => {
	test('When no filter is given, then all come by id, as GET shows them', async () => {
		expect(await list({})).toEqual(bookings);
	});

	test('When two ask for the same at once, then each gets each booking once, however many pieces it takes', async () => {
		const place = await slotOn(client, { max_bookings: 60 });
		const made = await Promise.all(Array.from({ length: 60 }, () => book(client, place)));
		const ids = made.map(({ id }) => id).sort((a, b) => a - b);
		for (let round = 0; round < 5; round++) {
			const lists = await Promise.all([1, 2, 3].map(() => list({ service_id: place.service.id })));
			expect(lists.map((found) => found.map(({ id }) => id))).toEqual([ids, ids, ids]);
		}
	});

	test('When another service of the account has bookings, then they do not come', async () => {
		const place = await slotOn(client);
		const other = await book(client, place);
		expect(await list({})).toEqual(bookings);
		expect(await list({ service_id: place.service.id })).toEqual([other]);
	});

	test.each(['pending', 'confirmed', 'cancelled'])('When status is %s, then only those come', async (status) => {
		expect(await list({ status })).toEqual(matching((booking) => booking.status === status));
	});

	test('When date is given, then only that date comes', async () => {
		const date = dateOn(1, 1);
		expect(await list({ date })).toEqual(matching((booking) => booking.date === date));
	});

	test('When date_from and date_to are given, then both are inclusive', async () => {
		expect(await list({ date_from: dateOn(1, 1) })).toEqual(matching(({ date }) => date >= dateOn(1, 1)));
		expect(await list({ date_to: dateOn(1, 1) })).toEqual(matching(({ date }) => date <= dateOn(1, 1)));
		const between = { date_from: dateOn(1, 1), date_to: dateOn(1, 1) };
		expect(await list(between)).toEqual(matching(({ date }) => date === dateOn(1, 1)));
		expect(await list({ date_from: dateOn(1, 2), date_to: dateOn(1, 1) })).toEqual([]);
	});

	test('When time_slot_id is given, then only that slot comes', async () => {
		const { id } = slots[1]!;
		expect(await list({ time_slot_id: id })).toEqual(matching((booking) => booking.time_slot_id === id));
	});

	test.each(['ada@example.com', 'ADA@EXAMPLE.COM'])(
		'When customer_email is %s, then its case does not matter',
		async (customer_email) => {
			expect(await list({ customer_email })).toEqual(matching(({ customer }) => customer.email === 'Ada@Example.com'));
		},
	);

	test('When customer_email is one that nobody has, then nothing comes', async () => {
		expect(await list({ customer_email: 'nobody@example.com' })).toEqual([]);
	});

	test('When filters are combined, then all of them hold', async () => {
		const { id } = slots[0]!;
		const filters = { status: 'pending', time_slot_id: id, date_from: dateOn(1, 1), customer_email: 'ada@example.com' };
		const expected = matching(
			(booking) => booking.status === 'pending' && booking.time_slot_id === id && booking.date >= dateOn(1, 1),
		);
		expect(expected).toHaveLength(2);
		expect(await list(filters)).toEqual(expected);
		expect(await list({ ...filters, date: dateOn(1, 2) })).toEqual(expected.slice(1));
		expect(await list({ ...filters, date: dateOn(1, 0) })).toEqual([]);
	});

	test('When a filtered list is paged, then totals are those of the filter', async () => {
		const query = { service_id: serviceId, status: 'pending', page: 2, page_size: 4 };
		const answer = await client.get<{ bookings: Booking[]; pagination: object }>('/v1/bookings', { query });
		const { bookings: page, pagination } = answer.mustBe(200);
		expect(page).toEqual(matching((booking) => booking.status === 'pending').slice(4));
		expect(pagination).toMatchObject({ total_items: 6, total_pages: 2 });
	});

	const bad: [string, string][] = [
		['status', 'done'],
		['status', ''],
		['date', '2026-02-30'],
		['date', 'today'],
		['date_from', '2026-1-1'],
		['date_to', ''],
		['time_slot_id', '0'],
		['time_slot_id', 'x'],
		['customer_email', 'nobody'],
		['customer_email', ''],
	];
	test.each(bad)('When %s is "%s", then it is 400 and named', async (name, value) => {
		const query = { service_id: serviceId, page: 1, page_size: 5, [name]: value };
		expectRefusal(await client.get('/v1/bookings', { query }), 400, name);
	});
});
