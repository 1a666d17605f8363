import { describe, expect, test } from '@jest/globals';
import type { Availability } from '../../shared/contract/schemas/availability.ts';
import type { Service } from '../../shared/contract/schemas/service.ts';
import { plusDays } from '../support/calendar.ts';
import { expectError, expectRefusal } from '../support/expectations.ts';
import type { Client } from '../support/http-client.ts';
import { book, createService, serviceBody, slotInput, slotsOf, tryToBook } from '../support/scheduling.ts';
import { newAccount } from '../support/shared-product.ts';

const TODAY = new Date().toISOString().slice(0, 10);
const LATE = 'date: too late to book';
const EARLY = 'date: too early to book';
const NONE = { min_notice_minutes: null, max_advance_days: null };

/** A service in UTC with a slot at noon on each day, and the place that is so many days from today. */
async function daily(client: Client, rules?: object, max_bookings = 5) {
	const time_slots = [0, 1, 2, 3, 4, 5, 6].map((day_of_week) =>
		slotInput({ day_of_week, start_time: '2026-01-05 12:00:00', end_time: '2026-01-05 13:00:00', max_bookings }),
	);
	const service = await createService(client, { timezone: 'UTC', rules, time_slots });
	const slots = await slotsOf(client, service.id);
	const place = (days: number) => {
		const date = plusDays(TODAY, days);
		return { date, slot: slots[new Date(date).getUTCDay()]! };
	};
	return { service, place };
}

async function reasons(client: Client, { id }: Service, days: number[]): Promise<(string | null)[]> {
	const query = { from: plusDays(TODAY, -20), to: plusDays(TODAY, 60) };
	const { availability } = (await client.get<Availability>(`/v1/services/${id}/availability`, { query })).mustBe(200);
	const byDate = new Map(availability.map((entry) => [entry.date, entry]));
	return days.map((number) => {
		const { bookable, reason } = byDate.get(plusDays(TODAY, number))!;
		expect(bookable).toBe(reason === null);
		return reason;
	});
}

describe('S5: how late and how early a service is booked', () => {
	test('S5: When there are no rules, then past and far dates are booked, as ever', async () => {
		const client = newAccount();
		const { service, place } = await daily(client);
		expect(service.rules).toEqual(NONE);
		expect(await reasons(client, service, [-20, 0, 60])).toEqual([null, null, null]);
		for (const days of [-2_000, 5_000]) await book(client, place(days));
	});

	test('S5: When a notice is asked for, then what begins sooner is refused, by creation, move and availability', async () => {
		const client = newAccount();
		const { service, place } = await daily(client, { min_notice_minutes: 7 * 1440 });
		expect(service.rules).toEqual({ ...NONE, min_notice_minutes: 7 * 1440 });
		expect(await reasons(client, service, [-3, 0, 5, 9, 60])).toEqual(['notice', 'notice', 'notice', null, null]);
		const booking = await book(client, place(9));
		for (const days of [-3, 5]) {
			const created = await tryToBook(client, place(days));
			expectError(created, 400, LATE);
			expect(created.body).toEqual({ error: LATE, code: 'notice' });
		}
		const inAWeek = 9 - 7; // the same weekday
		const moved = await client.patch(`/v1/bookings/${booking.id}`, { date: place(inAWeek).date });
		expect([moved.status, moved.body]).toEqual([400, { error: LATE, code: 'notice' }]);
		(await client.patch(`/v1/bookings/${booking.id}`, { date: place(16).date })).mustBe(200);
	});

	test('S5: When the notice is 0, then what has begun is refused, and nothing else', async () => {
		const client = newAccount();
		const { service, place } = await daily(client, { min_notice_minutes: 0 });
		expect(await reasons(client, service, [-1, 1])).toEqual(['notice', null]);
		expectError(await tryToBook(client, place(-1)), 400, LATE);
		await book(client, place(1));
	});

	test('S5: When only so many days in advance are open, then later ones are refused', async () => {
		const client = newAccount();
		const { service, place } = await daily(client, { max_advance_days: 20 });
		expect(await reasons(client, service, [-3, 19, 22, 60])).toEqual([null, null, 'horizon', 'horizon']);
		const refusal = await tryToBook(client, place(22));
		expect([refusal.status, refusal.body]).toEqual([400, { error: EARLY, code: 'horizon' }]);
		const booking = await book(client, place(19));
		const moved = await client.patch(`/v1/bookings/${booking.id}`, { date: place(26).date });
		expect([moved.status, moved.body]).toEqual([400, { error: EARLY, code: 'horizon' }]);
	});

	test('S5: When rules are changed one by one, then the others stay, and the version grows with each change', async () => {
		const client = newAccount();
		const { service } = await daily(client, { min_notice_minutes: 60 });
		const change = async (rules: object) =>
			(await client.patch<Service>(`/v1/services/${service.id}`, { rules })).mustBe(200);
		expect(await change({ max_advance_days: 30 })).toMatchObject({
			rules: { min_notice_minutes: 60, max_advance_days: 30 },
			version: 2,
		});
		expect(await change({ max_advance_days: 30 })).toMatchObject({ version: 2 });
		expect(await change({})).toMatchObject({ version: 2 });
		expect(await change({ min_notice_minutes: null })).toMatchObject({
			rules: { min_notice_minutes: null, max_advance_days: 30 },
			version: 3,
		});
		const shown = (await client.get<Service>(`/v1/services/${service.id}`)).mustBe(200);
		expect((await client.patch<Service>(`/v1/services/${service.id}`, { ...shown })).mustBe(200)).toEqual(shown);
	});

	test('S5: When several things refuse, then the first is told: weekday, notice, horizon, duplicate, closed, full', async () => {
		const client = newAccount();
		const { service, place } = await daily(client, undefined, 1);
		const customer = { customer_email: 'ada@example.com' };
		const [soon, far] = [place(2), place(40)];
		for (const taken of [soon, far]) await book(client, taken, customer);
		const code = async (asked: ReturnType<typeof place>, by: object = customer) =>
			(await tryToBook(client, asked, { ...by })).body.code as unknown;
		expect([await code(soon), await code(soon, {})]).toEqual(['duplicate_booking', 'time_slot_full']);
		(await client.patch('/v1/time-slots', { time_slots: [{ id: soon.slot.id, max_bookings: 0 }] })).mustBe(200);
		expect([await code(soon), await code(soon, {})]).toEqual(['duplicate_booking', 'closed']);
		const rules = { min_notice_minutes: 10 * 1440, max_advance_days: 30 };
		(await client.patch(`/v1/services/${service.id}`, { rules })).mustBe(200);
		expect([await code(soon), await code(far)]).toEqual(['notice', 'horizon']);
		expect(await code({ ...soon, date: plusDays(soon.date, 1) })).toBe('invalid_request');
	});

	test('S5: When the query has ignore_rules=true, then the rules are set aside, never capacity or duplicates', async () => {
		const client = newAccount();
		const { place } = await daily(client, { min_notice_minutes: 525_600, max_advance_days: 1 }, 1);
		const query = { ignore_rules: true };
		const customer = { customer_email: 'ada@example.com' };
		expectError(await tryToBook(client, place(3), customer), 400, LATE);
		expectError(await tryToBook(client, place(3), customer, { query: { ignore_rules: false } }), 400, LATE);
		const booking = (await tryToBook(client, place(3), customer, { query })).mustBe(201);
		expectError(await tryToBook(client, place(3), customer, { query }), 400, 'duplicate booking');
		expectError(await tryToBook(client, place(3), {}, { query }), 400, 'time slot is full');
		const path = `/v1/bookings/${booking.id}`;
		expectError(await client.patch(path, { date: place(10).date }), 400, LATE);
		(await client.patch(path, { date: place(10).date }, { query })).mustBe(200);
		expectRefusal(
			await client.patch(path, { date: place(17).date }, { query: { ignore_rules: 'yes' } }),
			400,
			'ignore_rules',
		);
	});

	test.each([
		[{ min_notice_minutes: -1 }, 'rules.min_notice_minutes'],
		[{ min_notice_minutes: 525_601 }, 'rules.min_notice_minutes'],
		[{ min_notice_minutes: 1.5 }, 'rules.min_notice_minutes'],
		[{ max_advance_days: 0 }, 'rules.max_advance_days'],
		[{ max_advance_days: 3_651 }, 'rules.max_advance_days'],
		[{ max_advance_days: '7' }, 'rules.max_advance_days'],
		[{ notice: 5 }, 'rules.notice'],
		[null, 'rules'],
		[[], 'rules'],
		['none', 'rules'],
	])('S5: When rules are %j, then it is 400, it names the field, and nothing is changed', async (rules, field) => {
		const client = newAccount();
		expectRefusal(await client.post('/v1/services', serviceBody({ rules })), 400, field);
		expect((await client.get<{ services: unknown[] }>('/v1/services')).mustBe(200).services).toEqual([]);
		const { id } = await createService(client);
		expectRefusal(await client.patch(`/v1/services/${id}`, { name: 'Other', rules }), 400, field);
		expect((await client.get<Service>(`/v1/services/${id}`)).mustBe(200)).toMatchObject({ rules: NONE, version: 1 });
	});
});
