import { describe, expect, test } from '@jest/globals';
import type { Booking } from '../../shared/contract/schemas/booking.ts';
import type { Pagination } from '../../shared/contract/schemas/pagination.ts';
import { expectRefusal } from '../support/expectations.ts';
import type { Client } from '../support/http-client.ts';
import { book, createService, slotInput, slotOn, slotsOf } from '../support/scheduling.ts';
import { newAccount } from '../support/shared-product.ts';

type Page = { pagination: Pagination } & Record<string, { id: number }[]>;

/** A list of 5 rows and how to read a page of it. */
interface List {
	name: string;
	fill(client: Client): Promise<string>;
}

const lists: List[] = [
	{
		name: 'services',
		async fill(client) {
			for (let number = 0; number < 5; number++) await createService(client, { name: `Service ${number}` });
			return '/v1/services?';
		},
	},
	{
		name: 'time_slots',
		async fill(client) {
			const { id } = await createService(client, { time_slots: Array.from({ length: 5 }, () => slotInput()) });
			return `/v1/services/${id}/time-slots?`;
		},
	},
	{
		name: 'time_slots',
		async fill(client) {
			const { id } = await createService(client, { time_slots: Array.from({ length: 5 }, () => slotInput()) });
			await createService(client, { time_slots: [slotInput()] });
			return `/v1/time-slots?service_id=${id}&`;
		},
	},
	{
		name: 'bookings',
		async fill(client) {
			const place = await slotOn(client, { max_bookings: 5 });
			for (let number = 0; number < 5; number++) await book(client, place);
			return `/v1/bookings?service_id=${place.service.id}&`;
		},
	},
];

async function read(client: Client, path: string): Promise<Page> {
	return (await client.get<Page>(path)).mustBe(200);
}

describe.each(lists)('Pages of $name (contract §2)', ({ name, fill }) => {
	test('When a page is asked for, then the pagination carries both shapes', async () => {
		const client = newAccount();
		const path = await fill(client);
		const page = await read(client, `${path}page=2&page_size=2`);
		expect(Object.keys(page).sort()).toEqual([name, 'pagination'].sort());
		expect(page.pagination).toEqual({
			page: 2,
			page_size: 2,
			total_items: 5,
			total_pages: 3,
			current_page: 2,
			total_count: 5,
		});
	});

	test('When all pages are read, then each row is there once, by id, ascending', async () => {
		const client = newAccount();
		const path = await fill(client);
		const ids: number[] = [];
		for (let number = 1; number <= 3; number++) {
			const page = await read(client, `${path}page=${number}&page_size=2`);
			ids.push(...page[name]!.map((row) => row.id));
		}
		expect(ids).toHaveLength(5);
		expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b));
	});

	test('When a page is past the end, then it is empty with 200', async () => {
		const client = newAccount();
		const path = await fill(client);
		for (const number of [4, 1_000_000, Number.MAX_SAFE_INTEGER]) {
			const page = await read(client, `${path}page=${number}&page_size=2`);
			expect(page[name]).toEqual([]);
			expect(page.pagination).toMatchObject({ page: number, current_page: number, total_items: 5, total_pages: 3 });
		}
	});

	test('When page_size is at its limits, then 1 and 1000 work and 0 and 1001 are 400', async () => {
		const client = newAccount();
		const path = await fill(client);
		expect((await read(client, `${path}page=1&page_size=1`))[name]).toHaveLength(1);
		expect((await read(client, `${path}page=1&page_size=1000`))[name]).toHaveLength(5);
		expectRefusal(await client.get(`${path}page=1&page_size=0`), 400, 'page_size');
		expectRefusal(await client.get(`${path}page=1&page_size=1001`), 400, 'page_size');
		expectRefusal(await client.get(`${path}page=0&page_size=1`), 400, 'page');
	});
});

describe('Optional and required pagination (contract §2)', () => {
	test('When services are listed without any, then page is 1 and page_size is 20', async () => {
		const client = newAccount();
		for (let number = 0; number < 21; number++) await createService(client);
		const page = await read(client, '/v1/services');
		expect(page.services).toHaveLength(20);
		expect(page.pagination).toMatchObject({ page: 1, page_size: 20, total_items: 21, total_pages: 2 });
		expect((await read(client, '/v1/services?page=2')).services).toHaveLength(1);
		expect((await read(client, '/v1/services?page_size=21')).services).toHaveLength(21);
	});

	test('When an account has nothing, then its list is empty and has 0 pages', async () => {
		const page = await read(newAccount(), '/v1/services');
		expect(page.services).toEqual([]);
		expect(page.pagination).toMatchObject({ total_items: 0, total_pages: 0, total_count: 0, page: 1 });
	});

	test.each(['service_id', 'page', 'page_size'])(
		'When bookings are listed without %s, then it is 400 and named',
		async (missing) => {
			const client = newAccount();
			const { service } = await slotOn(client);
			const query: Record<string, number> = { service_id: service.id, page: 1, page_size: 10 };
			delete query[missing];
			expectRefusal(await client.get('/v1/bookings', { query }), 400, missing);
		},
	);

	test('When no_pagination is true, then all slots come on one page', async () => {
		const client = newAccount();
		const { id } = await createService(client, { time_slots: Array.from({ length: 50 }, () => slotInput()) });
		for (const path of [`/v1/services/${id}/time-slots?`, `/v1/time-slots?service_id=${id}&`]) {
			const page = await read(client, `${path}no_pagination=true`);
			expect(page.time_slots).toHaveLength(50);
			expect(page.pagination).toMatchObject({
				page: 1,
				total_items: 50,
				total_pages: 1,
				current_page: 1,
				total_count: 50,
			});
			const small = await read(client, `${path}no_pagination=false`);
			expect(small.time_slots).toHaveLength(20);
		}
	});

	test('When rows are deleted, then totals follow at once', async () => {
		const client = newAccount();
		const place = await slotOn(client, { max_bookings: 3 });
		const bookings: Booking[] = [];
		for (let number = 0; number < 3; number++) bookings.push(await book(client, place));
		(await client.delete(`/v1/bookings/${bookings[1]!.id}`)).mustBe(200);
		const page = await read(client, `/v1/bookings?service_id=${place.service.id}&page=1&page_size=10`);
		expect(page.pagination.total_items).toBe(2);
		expect(page.bookings!.map((row) => row.id)).toEqual([bookings[0]!.id, bookings[2]!.id].sort((a, b) => a - b));
		expect(await slotsOf(client, place.service.id)).toHaveLength(1);
	});
});
