import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Pagination, pagination } from '../../shared/contract/schemas/pagination.ts';
import { bookingExample, serviceExample, timeSlotExample } from './support/examples.ts';
import { startGateway, type TestGateway } from './support/start-gateway.ts';

const ROWS = 7;
/** What counting comes to: rows came or went between it and the reading */
let counted: number;

const rows = <Row extends { id: number }>(example: Row, offset: number, limit: number): Row[] =>
	Array.from({ length: ROWS }, (_, index) => ({ ...example, id: index + 1 })).slice(offset, offset + limit);
const paged = (page: number, page_size: number) => ({ pagination: pagination(page, page_size, counted) });

let gateway: TestGateway;
beforeAll(async () => {
	gateway = await startGateway({
		backend: {
			'booking.list': ({ offset, limit }) => {
				const bookings = rows(bookingExample, offset, limit);
				return { bookings, ids: bookings.map(({ id }) => id), total_items: counted };
			},
			'catalog.listServices': ({ page, page_size }) => {
				return { services: rows(serviceExample, (page - 1) * page_size, page_size), ...paged(page, page_size) };
			},
			'catalog.listSlots': ({ page, page_size }) => {
				const time_slots = rows(timeSlotExample, (page - 1) * page_size, page_size);
				return { time_slots, cut: '0', ...paged(page, page_size) };
			},
		},
	});
});
afterAll(() => gateway.stop());

describe('§2: When rows come or go while a page is made, then its total fits the rows that it has', () => {
	test.each([
		['the whole list, counted too low', 1, 20, ROWS - 1, ROWS],
		['the whole list, counted too high', 1, 20, ROWS + 1, ROWS],
		['a full page, counted too low', 1, 5, 4, 5],
		['a full page with others after it', 1, 5, ROWS, ROWS],
		['the last page', 2, 5, 5, ROWS],
		['a page past the end, counted too high', 3, 5, 11, 10],
		['a page past the end', 3, 5, ROWS, ROWS],
	])('%s', async (_, page, page_size, count, expected) => {
		counted = count;
		for (const path of ['/v1/services', '/v1/time-slots', '/v1/bookings?service_id=3']) {
			const query = `${path.includes('?') ? '&' : '?'}page=${page}&page_size=${page_size}`;
			const { data } = await gateway.client.get<{ pagination: Pagination }>(path + query);
			expect([path, data.pagination]).toEqual([path, pagination(page, page_size, expected)]);
		}
	});
});
