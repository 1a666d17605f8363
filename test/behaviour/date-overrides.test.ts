import { describe, expect, test } from '@jest/globals';
import type { Availability } from '../../shared/contract/schemas/availability.ts';
import { dateOn, plusDays } from '../support/calendar.ts';
import { expectError, expectRefusal } from '../support/expectations.ts';
import type { Client } from '../support/http-client.ts';
import {
	activeBookings,
	book,
	createService,
	overrideDates,
	overridesOf,
	slotInput,
	slotOn,
	slotsOf,
	tryToBook,
} from '../support/scheduling.ts';
import { newAccount } from '../support/shared-product.ts';

const [MONDAY, NEXT, THIRD] = [dateOn(1, 0), dateOn(1, 1), dateOn(1, 2)] as const;

async function entries(client: Client, serviceId: number, from = MONDAY, to = THIRD) {
	const path = `/v1/services/${serviceId}/availability`;
	const { availability } = (await client.get<Availability>(path, { query: { from, to } })).mustBe(200);
	return availability;
}

/** Maximum, override, and why not, of each row. */
async function seen(client: Client, serviceId: number) {
	const rows = await entries(client, serviceId);
	return rows.map(({ max_bookings, override_id, reason }) => [max_bookings, override_id, reason]);
}

describe('S3: another maximum on some dates', () => {
	test('S3: When dates are closed, then creations, moves and availability say so there, and nowhere else', async () => {
		const client = newAccount();
		const place = await slotOn(client, { max_bookings: 2 });
		const { id } = place.service;
		const moved = await book(client, place);
		const override = await overrideDates(client, id, {
			date_from: plusDays(NEXT, -1),
			date_to: NEXT,
			reason: 'Holiday',
		});
		expect(override).toEqual({
			id: expect.any(Number),
			date_from: plusDays(NEXT, -1),
			date_to: NEXT,
			time_slot_id: null,
			max_bookings: 0,
			reason: 'Holiday',
		});
		expect(await seen(client, id)).toEqual([
			[2, null, null],
			[0, override.id, 'closed'],
			[2, null, null],
		]);
		const refusal = await tryToBook(client, { ...place, date: NEXT });
		expect([refusal.status, refusal.body]).toEqual([400, { error: 'time slot is full', code: 'closed' }]);
		const move = await client.patch(`/v1/bookings/${moved.id}`, { date: NEXT });
		expect([move.status, move.body]).toEqual([400, { error: 'time slot is full', code: 'closed' }]);
		await book(client, { ...place, date: THIRD });
		expect((await client.delete(`/v1/services/${id}/date-overrides/${override.id}`)).mustBe(200)).toBe('ok');
		expect((await seen(client, id))[1]).toEqual([2, null, null]);
		await book(client, { ...place, date: NEXT });
	});

	test('S3: When a maximum is raised or lowered on a date, then as many are booked there, and what was booked stays', async () => {
		const client = newAccount();
		const place = await slotOn(client, { max_bookings: 2 });
		const { id } = place.service;
		await overrideDates(client, id, { date_from: MONDAY, date_to: MONDAY, max_bookings: 4 });
		const tries = await Promise.all(Array.from({ length: 10 }, () => tryToBook(client, place)));
		expect(tries.filter(({ status }) => status === 201)).toHaveLength(4);
		const { id: lower } = await overrideDates(client, id, { date_from: MONDAY, date_to: MONDAY, max_bookings: 1 });
		expect((await entries(client, id))[0]).toMatchObject({
			max_bookings: 1,
			override_id: lower,
			booked: 4,
			remaining: 0,
			reason: 'full',
		});
		expect(await activeBookings(client, id)).toHaveLength(4);
		expectError(await tryToBook(client, place), 400, 'time slot is full');
	});

	test('S3: When several meet on a date, then the one with the highest id holds, be it for one slot or for all', async () => {
		const client = newAccount();
		const { id } = await createService(client, { time_slots: [slotInput(), slotInput()] });
		const [one, two] = (await slotsOf(client, id)).map((slot) => slot.id);
		const on = { date_from: NEXT, date_to: NEXT };
		const ofTheDate = async () => {
			const rows = await entries(client, id, NEXT, NEXT);
			return rows.map(({ time_slot_id, max_bookings }) => [time_slot_id, max_bookings]);
		};
		await overrideDates(client, id, { ...on, time_slot_id: one, max_bookings: 7 });
		expect(await ofTheDate()).toEqual([
			[one, 7],
			[two, 1],
		]);
		const all = await overrideDates(client, id, { ...on, max_bookings: 8 });
		expect(await ofTheDate()).toEqual([
			[one, 8],
			[two, 8],
		]);
		await overrideDates(client, id, { ...on, time_slot_id: two, max_bookings: 9 });
		expect(await ofTheDate()).toEqual([
			[one, 8],
			[two, 9],
		]);
		(await client.delete(`/v1/services/${id}/date-overrides/${all.id}`)).mustBe(200);
		expect(await ofTheDate()).toEqual([
			[one, 7],
			[two, 9],
		]);
	});

	test('S3: When they are listed, then by first date, a page at a time', async () => {
		const client = newAccount();
		const { service } = await slotOn(client);
		expect((await overridesOf(client, service.id)).date_overrides).toEqual([]);
		const dates = [THIRD, MONDAY, NEXT, MONDAY];
		const made = [];
		for (const date of dates) made.push(await overrideDates(client, service.id, { date_from: date, date_to: THIRD }));
		const sorted = [made[1], made[3], made[2], made[0]];
		const list = await overridesOf(client, service.id);
		expect(list.date_overrides).toEqual(sorted);
		expect(list.pagination).toMatchObject({ page: 1, page_size: 20, total_items: 4, total_pages: 1 });
		const page = await overridesOf(client, service.id, { page: 2, page_size: 3 });
		expect(page.date_overrides).toEqual(sorted.slice(3));
		expect(page.pagination).toMatchObject({ page: 2, page_size: 3, total_items: 4, total_pages: 2 });
	});

	test('S3: When a service has 1,000, then they are listed whole, and the next one is 422', async () => {
		const client = newAccount();
		const { service } = await slotOn(client);
		const reason = '"'.repeat(255);
		const days = Array.from({ length: 1000 }, (_, index) => plusDays('2020-01-01', index));
		for (let at = 0; at < days.length; at += 25) {
			const some = days.slice(at, at + 25); // they wait for each other: on a busy machine more of them too long
			await Promise.all(
				some.map((date) => overrideDates(client, service.id, { date_from: date, date_to: date, reason })),
			);
		}
		const { date_overrides } = await overridesOf(client, service.id, { page_size: 1000 });
		expect(date_overrides.map(({ date_from }) => date_from)).toEqual(days);
		const path = `/v1/services/${service.id}/date-overrides`;
		const one = { date_from: MONDAY, date_to: MONDAY, max_bookings: 0 };
		const refused = await client.post(path, one);
		expectError(refused, 422, 'a service has at most 1000 date overrides');
		expect([refused.body.code, refused.headers['retry-after']]).toEqual(['date_overrides_limit_reached', undefined]);
		(await client.delete(`${path}/${date_overrides[0]!.id}`)).mustBe(200);
		await overrideDates(client, service.id, one);
	});

	test.each([
		[{ date_to: plusDays(MONDAY, -1) }, 'date_to: must not be before date_from'],
		[{ date_to: plusDays(MONDAY, 366) }, 'date_to: must be at most 365 days after date_from'],
		[{ date_from: '2026-02-30' }, 'date_from'],
		[{ date_to: undefined }, 'date_to'],
		[{ max_bookings: -1 }, 'max_bookings'],
		[{ max_bookings: 10_001 }, 'max_bookings'],
		[{ max_bookings: null }, 'max_bookings'],
		[{ time_slot_id: 0 }, 'time_slot_id'],
		[{ reason: 'x'.repeat(256) }, 'reason'],
		[{ reasons: 'x' }, 'reasons'],
	])('S3: When it is made with %j, then it is 400, it names the field, and nothing is made', async (wrong, named) => {
		const client = newAccount();
		const { service } = await slotOn(client);
		const body = { date_from: MONDAY, date_to: NEXT, max_bookings: 0, ...wrong };
		expectRefusal(await client.post(`/v1/services/${service.id}/date-overrides`, body), 400, named);
		expect((await overridesOf(client, service.id)).date_overrides).toEqual([]);
	});

	test('S3: When the longest is made, then it is 366 days', async () => {
		const client = newAccount();
		const { service } = await slotOn(client);
		await overrideDates(client, service.id, { date_from: MONDAY, date_to: plusDays(MONDAY, 365) });
	});

	test('S3: When the slot is another service’s, or service or override are not there, then it is 404, and nothing is changed', async () => {
		const client = newAccount();
		const [one, other] = [await slotOn(client), await slotOn(client)];
		const path = `/v1/services/${one.service.id}/date-overrides`;
		const body = { date_from: MONDAY, date_to: NEXT, max_bookings: 0 };
		expectError(await client.post(path, { ...body, time_slot_id: other.slot.id }), 404, 'time slot not found');
		expectError(await client.post('/v1/services/999999999/date-overrides', body), 404, 'service not found');
		expectError(await client.get('/v1/services/999999999/date-overrides'), 404, 'service not found');
		const { id } = await overrideDates(client, other.service.id);
		expectError(await client.delete(`${path}/${id}`), 404, 'date override not found');
		expectError(await client.delete(`/v1/services/999999999/date-overrides/${id}`), 404, 'service not found');
		expect((await overridesOf(client, one.service.id)).date_overrides).toEqual([]);
		expect((await overridesOf(client, other.service.id)).date_overrides).toHaveLength(1);
		const gone = `/v1/services/${other.service.id}/date-overrides/${id}`;
		(await client.delete(gone)).mustBe(200);
		expectError(await client.delete(gone), 404, 'date override not found');
	});
});
