import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Booking, BookingList } from '../../shared/contract/schemas/booking.ts';
import type { BookingEventList } from '../../shared/contract/schemas/event.ts';
import type { Usage } from '../../shared/contract/schemas/usage.ts';
import { dateOn } from '../support/calendar.ts';
import { expectRefusal } from '../support/expectations.ts';
import type { Client } from '../support/http-client.ts';
import { book, slotOn } from '../support/scheduling.ts';
import { newAccount } from '../support/shared-product.ts';
import { until } from '../support/until.ts';

const PHONE = '+4915112345678';

let client: Client;
let services: number[];
let bookings: Booking[];

/** In each of two services, on three Mondays, one with a phone, one with an address; the first of all is changed last. */
beforeAll(async () => {
	client = newAccount();
	services = [];
	const made: Booking[] = [];
	for (const service of [1, 2]) {
		const place = await slotOn(client, { max_bookings: 5 });
		services.push(place.service.id);
		for (const week of [0, 1, 2]) {
			const on = { ...place, date: dateOn(1, week) };
			made.push(await book(client, on, { customer_phone: PHONE }));
			made.push(await book(client, on, { customer_email: `ada${service}@example.com` }));
		}
	}
	for (const { id } of [made[3]!, made[0]!]) (await client.patch(`/v1/bookings/${id}`, { message: 'x' })).mustBe(200);
	const read = made.map(async ({ id }) => (await client.get<Booking>(`/v1/bookings/${id}`)).mustBe(200));
	bookings = await Promise.all(read);
});

type Query = Record<string, string | number>;

async function list(query: Query, page_size = 100): Promise<Booking[]> {
	const asked = { page: 1, page_size, ...query };
	const answer = await client.get<{ bookings: Booking[]; pagination: { total_items: number } }>('/v1/bookings', {
		query: asked,
	});
	const { bookings: found, pagination } = answer.mustBe(200);
	if (page_size === 100) expect(pagination.total_items).toBe(found.length);
	return found;
}

const matching = (condition: (booking: Booking) => boolean) => bookings.filter(condition);
const withPhone = ({ customer }: Booking) => customer.phone === PHONE;

describe('B7: Lists of bookings', () => {
	test('B7: When customer_phone is given, then only that customer comes, in a service and in all', async () => {
		expect(await list({ service_id: services[0]!, customer_phone: PHONE })).toEqual(
			matching((booking) => withPhone(booking) && booking.service_id === services[0]),
		);
		expect(await list({ customer_phone: PHONE })).toEqual(matching(withPhone));
		expect(await list({ customer_phone: '+15550100' })).toEqual([]);
	});

	test('B7: When updated_since is given, then those come that were changed then or later, however the moment is written', async () => {
		const { updated_at } = bookings[3]!;
		const since = matching((booking) => booking.updated_at >= updated_at);
		expect(since.length).toBeLessThan(bookings.length);
		expect(await list({ updated_since: updated_at })).toEqual(since);
		const elsewhere = new Date(Date.parse(updated_at) + 3_600_000).toISOString().replace('Z', '+01:00');
		expect(await list({ service_id: services[0]!, updated_since: elsewhere })).toEqual(since);
		expect(await list({ updated_since: '2100-01-01T00:00:00.000Z' })).toEqual([]);
	});

	test('B7: When service_id is left out, then a date, two dates, an address or a phone number narrows', async () => {
		const [first, last] = [dateOn(1, 0), dateOn(1, 1)];
		expect(await list({ date: last })).toEqual(matching(({ date }) => date === last));
		expect(await list({ date_from: first, date_to: last })).toEqual(matching(({ date }) => date <= last));
		expect(await list({ customer_email: 'ADA2@example.com' })).toEqual(
			matching(({ customer }) => customer.email === 'ada2@example.com'),
		);
		expect(await list({ date: first, customer_phone: PHONE, status: 'pending' })).toEqual(
			matching((booking) => withPhone(booking) && booking.date === first),
		);
	});

	test('B7: When nothing narrows a list without service_id, then it is 400 as it was, and names it', async () => {
		for (const query of [{}, { status: 'pending' }, { time_slot_id: 7 }, { date_from: dateOn(1) }, { sort: 'id' }]) {
			const answer = await client.get('/v1/bookings', { query: { page: 1, page_size: 5, ...(query as Query) } });
			expectRefusal(answer, 400, 'service_id');
			expect(answer.error).toContain('is required and must be an integer from 1 to 9007199254740991');
		}
		const apart = { date_from: '2027-01-01', date_to: '2027-04-04' }; // 93 days
		expectRefusal(await client.get('/v1/bookings', { query: { page: 1, page_size: 5, ...apart } }), 400, 'date_to');
		expect(await list({ ...apart, date_to: '2027-04-03' })).toEqual(
			matching(({ date }) => date >= '2027-01-01' && date <= '2027-04-03'),
		);
		expect(await list({ ...apart, customer_phone: PHONE })).toEqual(
			matching((booking) => withPhone(booking) && booking.date >= '2027-01-01' && booking.date <= '2027-04-04'),
		);
	});

	const keys: Record<string, (booking: Booking) => string> = {
		id: () => '',
		starts_at: ({ starts_at }) => new Date(starts_at).toISOString(),
		updated_at: ({ updated_at }) => updated_at,
	};
	const sorts = Object.keys(keys).flatMap((sort) => [sort, `-${sort}`]);
	test.each(sorts)('B7: When the list is sorted by %s, then it is, by id among equals, on every page', async (sort) => {
		const direction = sort.startsWith('-') ? -1 : 1;
		const key = keys[sort.replace('-', '')]!;
		const ordered = [...bookings].sort((left, right) => {
			if (key(left) !== key(right)) return key(left) < key(right) ? -direction : direction;
			return (left.id - right.id) * direction;
		});
		const ofService = ordered.filter(({ service_id }) => service_id === services[0]);
		expect(await list({ service_id: services[0]!, sort })).toEqual(ofService);
		expect(await list({ service_id: services[0]!, sort, page: 2 }, 4)).toEqual(ofService.slice(4));
		expect(await list({ customer_phone: PHONE, sort, page: 2 }, 2)).toEqual(ordered.filter(withPhone).slice(2, 4));
	});

	test('B7: When a sorted page is larger than an answer on the bus, then it is whole and in order', async () => {
		const own = newAccount();
		const place = await slotOn(own, { max_bookings: 100 });
		await Promise.all(Array.from({ length: 60 }, () => book(own, place)));
		for (const sort of sorts) {
			const query = { service_id: place.service.id, page: 1, page_size: 60, sort };
			const { bookings: found } = (await own.get<{ bookings: Booking[] }>('/v1/bookings', { query })).mustBe(200);
			expect(new Set(found.map(({ id }) => id)).size).toBe(60);
			const shown = found.map(
				(booking) => keys[sort.replace('-', '')]!(booking) + String(booking.id).padStart(16, '0'),
			);
			expect(shown).toEqual(sort.startsWith('-') ? [...shown].sort().reverse() : [...shown].sort());
		}
	});

	test('B7: When bookings are changed while a large page is read by what changes, then each is on it, once', async () => {
		const own = newAccount();
		const place = await slotOn(own, { max_bookings: 100 });
		const made = await Promise.all(Array.from({ length: 60 }, () => book(own, place)));
		let isOver = false;
		const change = async (from: number) => {
			for (let at = from; !isOver; at = (at + 3) % made.length) {
				(await own.patch(`/v1/bookings/${made[at]!.id}`, { message: `changed ${Math.random()}` })).mustBe(200);
			}
		};
		const changing = Promise.all([change(0), change(1), change(2)]);
		try {
			for (let round = 0; round < 20; round++) {
				const query = {
					service_id: place.service.id,
					page: 1,
					page_size: 100,
					sort: round % 2 ? 'updated_at' : '-updated_at',
				};
				const answer = await own.get<BookingList>('/v1/bookings', { query });
				const { bookings: found, pagination } = answer.mustBe(200);
				const ids = found.map(({ id }) => id).sort((a, b) => a - b);
				expect(ids).toEqual(made.map(({ id }) => id).sort((a, b) => a - b));
				expect(pagination.total_items).toBe(60);
			}
		} finally {
			isOver = true;
			await changing;
		}
	});

	test('B7: When another account asks the same, then nothing of this one comes', async () => {
		const other = newAccount();
		const narrow: Query[] = [{ customer_phone: PHONE }, { date: dateOn(1) }, { updated_since: '2000-01-01T00:00:00Z' }];
		for (const one of narrow) {
			const query = { page: 1, page_size: 5, ...one };
			const answer = await other.get<{ bookings: Booking[] }>('/v1/bookings', { query });
			expect(answer.mustBe(200)).toMatchObject({ bookings: [], pagination: { total_items: 0 } });
		}
	});

	test('B7: When a service is deleted, then its bookings leave the lists of all services', async () => {
		const own = newAccount();
		const [gone, kept] = [await slotOn(own), await slotOn(own)];
		await book(own, gone, { customer_phone: PHONE });
		const left = await book(own, kept, { customer_phone: PHONE });
		(await own.delete(`/v1/services/${gone.service.id}`)).mustBe(200);
		const query = { page: 1, page_size: 5, customer_phone: PHONE };
		const { bookings: found } = (await own.get<{ bookings: Booking[] }>('/v1/bookings', { query })).mustBe(200);
		expect(found).toEqual([left]);
	});

	const bad: Query[] = [
		{ customer_phone: '0' },
		{ updated_since: 'yesterday' },
		{ updated_since: '2026-02-30T00:00:00Z' },
		{ sort: 'date' },
		{ sort: '--id' },
		{ sort: '' },
	];
	test.each(bad)('B7: When the query has %o, then it is 400 and named', async (wrong) => {
		const query = { service_id: services[0]!, page: 1, page_size: 5, ...wrong };
		expectRefusal(await client.get('/v1/bookings', { query }), 400, Object.keys(wrong)[0]!);
	});
});

describe('B7: The feed of one booking', () => {
	test('B7: When booking_id is given, then its events come and no others, with types too, and next_after moves on', async () => {
		const { id } = bookings[0]!;
		const feed = async (query: Query) => (await client.get<BookingEventList>('/v1/events', { query })).mustBe(200);
		const whole = await until(async () => {
			const all = await feed({ limit: 1000 });
			return all.events.length === bookings.length + 2 && all;
		});
		const own = whole.events.filter(({ data }) => data.id === id);
		expect(own.map(({ type }) => type)).toEqual(['booking.created', 'booking.updated']);
		const { next_after } = whole;
		expect(await feed({ booking_id: id })).toEqual({ events: own, has_more: false, next_after });
		const [created, updated] = own as [(typeof own)[0], (typeof own)[0]];
		expect(await feed({ booking_id: id, limit: 1 })).toEqual({
			events: [created],
			has_more: true,
			next_after: created.sequence,
		});
		expect((await feed({ booking_id: id, after: created.sequence })).events).toEqual([updated]);
		expect((await feed({ booking_id: id, types: 'booking.updated' })).events).toEqual([updated]);
		expect(await feed({ booking_id: id, types: 'booking.deleted' })).toEqual({
			events: [],
			has_more: false,
			next_after,
		});
		const other = newAccount();
		expect((await other.get<BookingEventList>(`/v1/events?booking_id=${id}`)).mustBe(200).events).toEqual([]);
		expectRefusal(await client.get('/v1/events?booking_id=0'), 400, 'booking_id');
	});
});

test('B7: When a key asks for the usage, then it is told its scopes', async () => {
	expect((await newAccount().get<Usage>('/v1/usage')).mustBe(200).scopes).toEqual(['read', 'write']);
});
