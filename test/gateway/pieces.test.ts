import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type JsonSchema, jsonSchema, withoutNull } from '../../services/gateway/validation/json-schema.ts';
import { addDays, datesBetween } from '../../shared/calendar/plain-date.ts';
import { Booking } from '../../shared/contract/schemas/booking.ts';
import { METADATA_LIMITS } from '../../shared/contract/schemas/metadata.ts';
import { pagination } from '../../shared/contract/schemas/pagination.ts';
import { NO_RULES } from '../../shared/contract/schemas/rules.ts';
import { Service } from '../../shared/contract/schemas/service.ts';
import type { TimeSlot } from '../../shared/contract/schemas/time-slot.ts';
import {
	availabilityExample,
	bookingExample,
	eventExample,
	serviceExample,
	timeSlotExample,
} from './support/examples.ts';
import { startGateway, type TestGateway } from './support/start-gateway.ts';

const TOTAL = 2_345;
const MESSAGE_LIMIT = 512 * 1024;
/** JSON escapes each of its characters. */
const LONGEST_METADATA = Object.fromEntries(
	Array.from({ length: METADATA_LIMITS.keys }, (_, index) => [`${index}`.padStart(2, '"'), '"'.repeat(79)]),
);
const longest = (characters: number) => '\u{1f600}'.repeat(characters);
const rows = <Row extends { id: number }>(example: Row): Row[] =>
	Array.from({ length: TOTAL }, (_, index) => ({ ...example, id: 10 + 3 * index }));

/** The example, with each text as long as its schema lets it be. */
function longestOf<T>(schema: JsonSchema, example: T): T {
	const texts = Object.entries(schema.properties ?? {}).flatMap(([name, property]): unknown[][] => {
		const { format, maxLength, properties, additionalProperties } = withoutNull(property).schema;
		if (additionalProperties) return [[name, LONGEST_METADATA]];
		if (properties) return [[name, longestOf(property, example[name as keyof T])]];
		if (format === 'email') return [[name, 'a'.repeat(maxLength!)]];
		return format === 'text' || format === 'name' ? [[name, longest(maxLength!)]] : [];
	});
	return { ...example, ...Object.fromEntries(texts) };
}

const bookings = rows(longestOf<Booking>(jsonSchema(Booking), bookingExample));
const services = rows(longestOf<Service>(jsonSchema(Service), serviceExample));
const slots: TimeSlot[] = rows(timeSlotExample);
const events = Array.from({ length: TOTAL }, (_, index) => ({
	...eventExample,
	id: `evt_${index}_1`,
	sequence: index + 1,
}));

const window = <Row extends { id: number }>(all: Row[], offset: number, limit: number, after?: number) =>
	after === undefined ? all.slice(offset, offset + limit) : all.filter(({ id }) => id > after).slice(0, limit);

/** The largest answer of an action so far, in bytes as JSON */
let largest = 0;
const sent = <T>(answer: T): T => {
	largest = Math.max(largest, Buffer.byteLength(JSON.stringify(answer)));
	return answer;
};

/** Days of a piece of availability, by service. The last one has rows on seldom dates only, so pieces without any. */
const PIECE_OF: Record<number, number> = { 3: 10, 5: 6, 8: 2 };
function isScheduled(service_id: number, date: string): boolean {
	return service_id !== 8 || date.endsWith('-31');
}

let gateway: TestGateway;
beforeAll(async () => {
	gateway = await startGateway({
		backend: {
			'booking.list': ({ offset, limit, piece }) => {
				const page = window(bookings, offset, limit);
				return sent({ bookings: page.slice(0, piece), ids: ids(page), total_items: TOTAL });
			},
			'booking.listed': ({ ids }) => sent(bookings.filter(({ id }) => ids.includes(id))),
			'catalog.listServices': ({ page, page_size, after }) => {
				if (!Number.isInteger(page) || page_size > 100) throw new Error(`page ${page} of ${page_size}`);
				return sent({
					services: window(services, (page - 1) * page_size, page_size, after),
					pagination: pagination(page, page_size, TOTAL),
				});
			},
			'catalog.listSlots': ({ page, page_size, all, after }) =>
				sent({
					time_slots: window(slots, all ? 0 : (page - 1) * page_size, all ? 1000 : page_size, after),
					cut: '0',
					pagination: pagination(page, page_size, TOTAL),
				}),
			'booking.availability': ({
				service_id,
				from,
				to,
				plan = { timezone: from, rules: NO_RULES, overrides: [], slots: [] },
			}) => {
				if (plan.timezone !== '2026-01-01') throw new Error('the plan of the first piece is to be handed on');
				const last = [addDays(from, PIECE_OF[service_id]!), to].toSorted()[0]!;
				const dates = datesBetween(from, last).filter((date) => isScheduled(service_id, date));
				const availability = dates.map((date) => ({ ...availabilityExample, date }));
				return sent({ availability, next: last < to ? { from: addDays(last, 1), plan } : null });
			},
			'notifications.listEvents': ({ after, limit }) => {
				const piece = events.slice(after, after + Math.min(limit, 300));
				return sent({ events: piece, has_more: after + piece.length < TOTAL, next_after: after + piece.length });
			},
		},
	});
});
afterAll(() => gateway.stop());

const ids = (list: { id: number }[]) => list.map(({ id }) => id);

describe('When a page is larger than a message on the bus, then it is fetched in pieces and whole', () => {
	test.each([
		[1, 1000],
		[2, 1000],
		[3, 1000],
		[4, 1000],
		[3, 997],
		[24, 101],
		[1, 1],
		[469, 5],
		[1, 100],
		[9007199254740991, 1000],
	])('page %i of %i', async (page, size) => {
		const query = { page, page_size: size };
		const expected = { page, page_size: size, total_items: TOTAL, total_pages: Math.ceil(TOTAL / size) };
		const ofPage = ids(bookings.slice((page - 1) * size, page * size));

		const list = await gateway.client.get<{ bookings: Booking[] }>('/v1/bookings', {
			query: { service_id: 3, ...query },
		});
		expect(list.data).toMatchObject({ pagination: expected });
		expect(ids(list.data.bookings)).toEqual(ofPage);

		const ofServices = await gateway.client.get<{ services: Service[] }>('/v1/services', { query });
		expect(ofServices.data).toMatchObject({ pagination: expected });
		expect(ids(ofServices.data.services)).toEqual(ofPage);

		const ofSlots = await gateway.client.get<{ time_slots: TimeSlot[] }>('/v1/time-slots', { query });
		expect(ids(ofSlots.data.time_slots)).toEqual(ofPage);
	});

	test('every time slot, both readings', async () => {
		const plain = await gateway.client.get<TimeSlot[]>('/v1/services/3/time-slots');
		expect(ids(plain.data)).toEqual(ids(slots));
		for (const path of ['/v1/services/3/time-slots', '/v1/time-slots']) {
			const { data } = await gateway.client.get<{ time_slots: TimeSlot[] }>(`${path}?no_pagination=true`);
			expect(ids(data.time_slots)).toEqual(ids(slots));
			expect(data).toMatchObject({ pagination: { page: 1, page_size: TOTAL, total_pages: 1, total_items: TOTAL } });
		}
		for (const query of ['page=1', 'page_size=20', 'no_pagination=false']) {
			const { data } = await gateway.client.get<{ time_slots: TimeSlot[] }>(`/v1/services/3/time-slots?${query}`);
			expect([data.time_slots.length, data]).toMatchObject([20, { pagination: { page: 1, page_size: 20 } }]);
		}
	});

	test('an availability', async () => {
		const path = '/v1/services/3/availability?from=2026-01-01&to=2026-04-02';
		const { data } = await gateway.client.get<{ availability: { date: string }[] }>(path);
		expect([data.availability.length, data.availability[0]!.date, data.availability.at(-1)!.date]).toEqual([
			92,
			'2026-01-01',
			'2026-04-02',
		]);
	});

	test('an availability of several services, by date and then service', async () => {
		const [from, to] = ['2026-01-01', '2026-04-02'];
		const path = `/v1/availability?service_ids=8,3,5&from=${from}&to=${to}`;
		const { data } = await gateway.client.get<{ availability: { date: string; service_id: number }[] }>(path);
		const expected = datesBetween(from, to).flatMap((date) =>
			[3, 5, 8].filter((service_id) => isScheduled(service_id, date)).map((service_id) => `${date} ${service_id}`),
		);
		expect(data.availability.map(({ date, service_id }) => `${date} ${service_id}`)).toEqual(expected);
	});

	test('an availability without rows', async () => {
		const { data } = await gateway.client.get('/v1/services/8/availability?from=2026-01-01&to=2026-01-30');
		expect(data).toEqual({ availability: [] });
	});

	test.each([
		[0, 1000, true],
		[1345, 1000, false],
		[2000, 1000, false],
		[0, 1, true],
		[TOTAL, 100, false],
	])('events after %i, %i of them', async (after, limit, has_more) => {
		type Feed = { events: { sequence: number }[]; has_more: boolean };
		const { data } = await gateway.client.get<Feed>(`/v1/events?after=${after}&limit=${limit}`);
		expect(data.events.map(({ sequence }) => sequence)).toEqual(
			events.slice(after, after + limit).map(({ sequence }) => sequence),
		);
		expect(data.has_more).toBe(has_more);
	});

	test('and no piece with the longest texts passes half a message', () => {
		expect(largest).toBeGreaterThan(100 * 1024);
		expect(largest).toBeLessThanOrEqual(MESSAGE_LIMIT + 16 * 1024);
	});
});
