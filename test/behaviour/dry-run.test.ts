import { describe, expect, test } from '@jest/globals';
import type { Booking } from '../../shared/contract/schemas/booking.ts';
import type { DateOverride } from '../../shared/contract/schemas/date-override.ts';
import type { Impact } from '../../shared/contract/schemas/impact.ts';
import type { Schedule } from '../../shared/contract/schemas/schedule.ts';
import type { Service } from '../../shared/contract/schemas/service.ts';
import type { TimeSlot } from '../../shared/contract/schemas/time-slot.ts';
import { plusDays } from '../support/calendar.ts';
import { createSurely } from '../support/create-surely.ts';
import { expectRefusal } from '../support/expectations.ts';
import { eventsUpTo } from '../support/feed.ts';
import type { Answer, Client } from '../support/http-client.ts';
import {
	book,
	bookingBody,
	createService,
	getBooking,
	getService,
	newCustomer,
	overridesOf,
	slotInput,
	slotOn,
	slotsOf,
} from '../support/scheduling.ts';
import { newAccount } from '../support/shared-product.ts';

const NOTHING = { total: 0, items: [] };
const NONE: Impact = { over_capacity: NOTHING, retired: NOTHING, out_of_step: NOTHING };
/** At no time of day is it another date in the zones that are used here. */
const TODAY = new Date().toISOString().slice(0, 10);

/** The first date on a day of the week that is more than a week ahead, and others by weeks from it. */
function ahead(day_of_week: number, weeks = 0): string {
	const first = plusDays(TODAY, 8);
	return plusDays(first, ((day_of_week + 7 - new Date(first).getUTCDay()) % 7) + 7 * weeks);
}

const MONDAY = ahead(1);

const dryRun = <T = { impact: Impact }>(client: Client, method: 'PATCH' | 'POST' | 'PUT', path: string, body: object) =>
	client.request<T>(method, path, { body, query: { dry_run: true } });

/** Two bookings on a Monday, one of them cancelled, two on the next one; of a slot for two. */
async function bookedSlot(client: Client) {
	const place = { ...(await slotOn(client, { max_bookings: 2, timezone: 'UTC' })), date: MONDAY };
	const next = { ...place, date: ahead(1, 1) };
	const made: Booking[] = [];
	for (const where of [place, place, next, next]) made.push(await book(client, where, newCustomer()));
	const cancel = { status: 'cancelled', cancel_reason: 'Ill' };
	(await client.patch(`/v1/bookings/${made[1]!.id}`, cancel)).mustBe(200);
	return { place, next, made };
}

/** What an account has, as its reader sees it. */
async function everything(client: Client, { id }: Service) {
	const query = { service_id: id, page: 1, page_size: 1000 };
	return {
		service: await getService(client, id),
		slots: await slotsOf(client, id),
		overrides: await overridesOf(client, id),
		bookings: (await client.get('/v1/bookings', { query })).mustBe(200),
		months: (await client.get<{ bookings: unknown }>('/v1/usage')).mustBe(200).bookings,
	};
}

describe('S8: a change is previewed', () => {
	test('S8: When a slot is changed with dry_run, then what it would be is told with its impact, and nothing is changed', async () => {
		const client = newAccount();
		const { place, next, made } = await bookedSlot(client);
		const before = await everything(client, place.service);
		const change = { id: place.slot.id, start_time: '2026-01-05 09:30:00', max_bookings: 1 };
		const body = { time_slots: [change] };
		const told = await dryRun<{ time_slots: TimeSlot[]; impact: Impact }>(client, 'PATCH', '/v1/time-slots', body);
		const { time_slots, impact } = told.mustBe(200);
		expect(await everything(client, place.service)).toEqual(before);

		expect(impact.over_capacity).toEqual({
			total: 1,
			items: [{ time_slot_id: place.slot.id, date: next.date, booked: 2, max_bookings: 1 }],
		});
		expect(impact.retired).toEqual(NOTHING);
		const moved = [made[0]!, made[2]!, made[3]!].map(({ id, time_slot_id, date, starts_at, ends_at }) => ({
			...{ booking_id: id, time_slot_id, date, starts_at, ends_at },
			scheduled_starts_at: `${date}T09:30:00+00:00`,
			scheduled_ends_at: ends_at,
		}));
		expect(impact.out_of_step).toEqual({ total: 3, items: moved });

		const longer = { time_slots: [{ id: place.slot.id, end_time: '2026-01-05 10:30:00' }] };
		const { out_of_step } = (await dryRun(client, 'PATCH', '/v1/time-slots', longer)).mustBe(200).impact;
		expect(out_of_step.items[0]).toMatchObject({ scheduled_starts_at: made[0]!.starts_at });
		expect(out_of_step.total).toBe(3);

		const done = (await client.patch<{ time_slots: TimeSlot[] }>('/v1/time-slots', body)).mustBe(200);
		expect(time_slots).toEqual(done.time_slots.map((slot) => ({ ...slot, updated_at: expect.any(String) })));
		expect(await getBooking(client, made[0]!.id)).toEqual(made[0]);
	});

	test('S8: When dates are closed with dry_run, then it is told where more is booked than would be allowed, and there is no override', async () => {
		const client = newAccount();
		const { place, next } = await bookedSlot(client);
		const path = `/v1/services/${place.service.id}/date-overrides`;
		const body = { date_from: MONDAY, date_to: plusDays(next.date, -1), max_bookings: 0, reason: 'Holiday' };
		const told = await dryRun(client, 'POST', path, body);
		expect(told.status).toBe(200);
		expect(told.mustBe(200)).toEqual({
			...{ id: null, ...body, time_slot_id: null },
			impact: {
				...NONE,
				over_capacity: {
					total: 1,
					items: [{ time_slot_id: place.slot.id, date: MONDAY, booked: 1, max_bookings: 0 }],
				},
			},
		});
		expect((await overridesOf(client, place.service.id)).date_overrides).toEqual([]);
		expect((await client.post<DateOverride>(path, body)).mustBe(201).id).toEqual(expect.any(Number));
		// The one that holds there now is what another change is judged by, and a new one would hold in place of it.
		const lowered = await dryRun(client, 'PATCH', '/v1/time-slots', {
			time_slots: [{ id: place.slot.id, max_bookings: 1 }],
		});
		const [first, second] = lowered.mustBe(200).impact.over_capacity.items;
		expect([first, second]).toMatchObject([{ max_bookings: 0 }, { date: next.date, booked: 2, max_bookings: 1 }]);
		const reopened = await dryRun(client, 'POST', path, { ...body, max_bookings: 1 });
		expect(reopened.mustBe(200).impact).toEqual(NONE);
	});

	test('S8: When a service gets another time zone with dry_run, then its bookings are out of step, and ETag is the version that it has', async () => {
		const client = newAccount();
		const { place, made } = await bookedSlot(client);
		const path = `/v1/services/${place.service.id}`;
		const before = await everything(client, place.service);
		const told = await dryRun<Service & { impact: Impact }>(client, 'PATCH', path, { timezone: 'Asia/Tokyo' });
		const { impact, ...service } = told.mustBe(200);
		expect(await everything(client, place.service)).toEqual(before);
		expect(told.headers.etag).toBe('"1"');
		expect(impact.out_of_step.total).toBe(3);
		expect(impact.out_of_step.items[0]).toMatchObject({
			booking_id: made[0]!.id,
			starts_at: `${MONDAY}T09:00:00+00:00`,
			scheduled_starts_at: `${MONDAY}T09:00:00+09:00`,
		});
		const headers = { 'if-match': told.headers.etag! };
		const done = await client.patch<Service>(path, { timezone: 'Asia/Tokyo' }, { headers });
		expect(service).toEqual({ ...done.mustBe(200), updated_at: expect.any(String) });
		expect(service.version).toBe(2);
		// The same clocks under another name: nothing is out of step but what is so already.
		const again = await dryRun(client, 'PATCH', path, { timezone: 'Asia/Seoul' });
		expect(again.mustBe(200).impact.out_of_step.total).toBe(3);
		const back = await dryRun(client, 'PATCH', path, { timezone: 'Etc/UTC' });
		expect(back.mustBe(200).impact).toEqual(NONE);
	});

	test('S8: When a slot would not be on a date any more, then its bookings there are out of step, with no moments', async () => {
		const client = newAccount();
		const { place, next, made } = await bookedSlot(client);
		const time_slots = [{ id: place.slot.id, valid_until: MONDAY }];
		const { impact } = (await dryRun(client, 'PATCH', '/v1/time-slots', { time_slots })).mustBe(200);
		expect(impact).toEqual({
			...NONE,
			out_of_step: {
				total: 2,
				items: [made[2]!, made[3]!].map(({ id, time_slot_id, starts_at, ends_at }) => ({
					...{ booking_id: id, time_slot_id, date: next.date, starts_at, ends_at },
					...{ scheduled_starts_at: null, scheduled_ends_at: null },
				})),
			},
		});
	});

	test('S8: When a schedule is replaced with dry_run, then bookings of slots that would go are told as retired, and new slots have no id', async () => {
		const client = newAccount();
		const service = await createService(client, {
			timezone: 'UTC',
			time_slots: [slotInput(), slotInput(), slotInput()],
		});
		const [stays, goes, later] = await slotsOf(client, service.id);
		const made: Booking[] = [];
		for (const slot of [stays!, goes!, later!]) made.push(await book(client, { slot, date: MONDAY }));
		await book(client, { slot: goes!, date: plusDays(MONDAY, -70) });
		const path = `/v1/services/${service.id}/schedule`;
		const before = { ...(await everything(client, service)), schedule: (await client.get(path)).mustBe(200) };
		const moved = { start_time: '2026-01-05 11:00:00', end_time: '2026-01-05 12:00:00' };
		const time_slots = [slotInput({ day_of_week: 2 }), { ...stays, max_bookings: 0 }, { ...later, ...moved }];
		const body = { timezone: 'UTC', time_slots, version: 1 };
		const told = await dryRun<Schedule & { impact: Impact }>(client, 'PUT', path, body);
		const { impact, ...schedule } = told.mustBe(200);
		expect({ ...(await everything(client, service)), schedule: (await client.get(path)).mustBe(200) }).toEqual(before);
		const [kept, gone, late] = made.map(({ id: booking_id, time_slot_id, date, starts_at, ends_at }) => {
			return { booking_id, time_slot_id, date, starts_at, ends_at };
		});
		const scheduled = {
			scheduled_starts_at: `${MONDAY}T11:00:00+00:00`,
			scheduled_ends_at: `${MONDAY}T12:00:00+00:00`,
		};
		expect(impact).toEqual({
			over_capacity: {
				total: 1,
				items: [{ time_slot_id: kept!.time_slot_id, date: MONDAY, booked: 1, max_bookings: 0 }],
			},
			retired: { total: 1, items: [gone] },
			out_of_step: { total: 1, items: [{ ...late, ...scheduled }] },
		});
		expect(told.headers.etag).toBe('"1"');
		const headers = { 'if-match': told.headers.etag! };
		const done = (await client.request<Schedule>('PUT', path, { body, headers })).mustBe(200);
		const asDone = done.time_slots.map((slot, at) => ({
			...{ ...slot, created_at: expect.any(String), updated_at: expect.any(String) },
			id: at === 2 ? null : slot.id,
		}));
		expect(schedule).toEqual({ ...done, time_slots: asDone });
		// What has gone is no part of the next schedule.
		const again = await dryRun(client, 'PUT', path, { timezone: 'UTC', time_slots: done.time_slots });
		expect(again.mustBe(200).impact.retired).toEqual(NOTHING);
	});

	test('S8: When bookings lie in the past, or on other slots or dates, then they are no impact', async () => {
		const client = newAccount();
		const service = await createService(client, { time_slots: [slotInput(), slotInput(), slotInput()] });
		const [one, other, third] = await slotsOf(client, service.id);
		await book(client, { slot: one!, date: plusDays(MONDAY, -70) });
		await book(client, { slot: other!, date: MONDAY });
		const time_slots = [{ id: one!.id, max_bookings: 0 }];
		expect((await dryRun(client, 'PATCH', '/v1/time-slots', { time_slots })).mustBe(200).impact).toEqual(NONE);
		const path = `/v1/services/${service.id}/date-overrides`;
		for (const [changes, booked] of [
			[{}, 1],
			[{ time_slot_id: third!.id }, 0],
			[{ date_from: plusDays(MONDAY, 1) }, 0],
			[{ date_from: plusDays(MONDAY, -70), date_to: plusDays(MONDAY, -1) }, 0],
		] as const) {
			const body = { date_from: MONDAY, date_to: plusDays(MONDAY, 6), max_bookings: 0, ...changes };
			const { total } = (await dryRun(client, 'POST', path, body)).mustBe(200).impact.over_capacity;
			expect([changes, total]).toEqual([changes, booked]);
		}
	});

	test('S8: When more than 100 bookings are meant, then the first 100 by date are told, and how many there are', async () => {
		const client = newAccount();
		const service = await createService(client, { time_slots: [slotInput({ max_bookings: 130 }), slotInput()] });
		const [crowded, single] = await slotsOf(client, service.id);
		const later = ahead(1, 1);
		const bodies = Array.from({ length: 125 }, () => bookingBody({ slot: crowded!, date: later }, newCustomer()));
		await Promise.all(bodies.map((body) => createSurely(client, '/v1/bookings', body)));
		const first = await book(client, { slot: single!, date: MONDAY });
		const path = `/v1/services/${service.id}`;
		const { out_of_step } = (await dryRun(client, 'PATCH', path, { timezone: 'Asia/Tokyo' })).mustBe(200).impact;
		expect([out_of_step.total, out_of_step.items.length]).toEqual([126, 100]);
		const ids = out_of_step.items.map(({ booking_id }) => booking_id);
		expect(ids[0]).toBe(first.id);
		expect(ids.slice(1)).toEqual(ids.slice(1).toSorted((a, b) => a - b));
	});

	test('S8: When the change would be refused, then so is its dry run, in the same words', async () => {
		const client = newAccount();
		const { service, slot } = await slotOn(client);
		const stranger = await slotOn(newAccount());
		const ofService = `/v1/services/${service.id}`;
		const [overrides, schedule] = [`${ofService}/date-overrides`, `${ofService}/schedule`];
		const dates = { date_from: MONDAY, date_to: MONDAY, max_bookings: 0 };
		const requests: ['PATCH' | 'POST' | 'PUT', string, object, Record<string, string>?][] = [
			['PATCH', '/v1/time-slots', { time_slots: [{ id: slot.id, end_time: '2026-01-05 08:00:00' }] }],
			['PATCH', '/v1/time-slots', { time_slots: [{ id: slot.id }, { id: slot.id }] }],
			['PATCH', '/v1/time-slots', { time_slots: [{ id: stranger.slot.id, max_bookings: 1 }] }],
			['PATCH', '/v1/time-slots', { time_slots: [] }],
			['POST', overrides, { ...dates, date_to: plusDays(MONDAY, -1) }],
			['POST', overrides, { ...dates, time_slot_id: stranger.slot.id }],
			['POST', `/v1/services/${stranger.service.id}/date-overrides`, dates],
			['PATCH', ofService, { timezone: 'Mars/Base' }],
			['PATCH', ofService, { timezone: 'UTC', version: 7 }],
			['PATCH', ofService, { timezone: 'UTC' }, { 'if-match': '"7"' }],
			['PATCH', `/v1/services/${stranger.service.id}`, { timezone: 'UTC' }],
			['PUT', schedule, { timezone: 'UTC', time_slots: [{ ...slotInput(), id: stranger.slot.id }] }],
			['PUT', schedule, { timezone: 'UTC', time_slots: [{ ...slotInput(), end_time: '2026-01-05 08:00:00' }] }],
			['PUT', schedule, { timezone: 'UTC', time_slots: [], version: 7 }],
			['PUT', schedule, { timezone: 'UTC', time_slots: [] }, { 'if-match': '"7"' }],
			['PUT', `/v1/services/${stranger.service.id}/schedule`, { timezone: 'UTC', time_slots: [] }],
		];
		const outcome = ({ status, body }: Answer) => [status, body];
		const statuses = new Set<number>();
		for (const [method, path, body, headers] of requests) {
			const told = await client.request(method, path, { body, headers, query: { dry_run: true } });
			const done = await client.request(method, path, { body, headers });
			expect(outcome(told)).toEqual(outcome(done));
			statuses.add(told.status);
		}
		expect([...statuses].sort()).toEqual([400, 404, 409, 412]);
	});

	test('S8: When dry_run is no boolean or comes twice, then 400; when it is false, then the change is made', async () => {
		const client = newAccount();
		const { slot } = await slotOn(client);
		const time_slots = [{ id: slot.id, max_bookings: 3 }];
		const change = (query: string) => client.patch(`/v1/time-slots?${query}`, { time_slots });
		for (const query of ['dry_run=yes', 'dry_run=', 'dry_run=true&dry_run=true', 'dry_run=true&dry_run=false']) {
			expectRefusal(await change(query), 400, 'dry_run');
		}
		const done = await change('dry_run=false');
		expect(Object.keys(done.mustBe(200) as object)).toEqual(['time_slots']);
		expect((await slotsOf(client, slot.service_id))[0]!.max_bookings).toBe(3);
	});

	test('S8: When a change was previewed, then no event tells of it', async () => {
		const client = newAccount();
		const { place, made } = await bookedSlot(client);
		await dryRun(client, 'PATCH', `/v1/services/${place.service.id}`, { timezone: 'Asia/Tokyo' });
		await dryRun(client, 'PATCH', '/v1/time-slots', { time_slots: [{ id: place.slot.id, max_bookings: 0 }] });
		const last = await book(client, { ...place, date: ahead(1, 2) });
		const events = await eventsUpTo(client, made.length + 2);
		expect(events.at(-1)).toMatchObject({ type: 'booking.created', data: { id: last.id } });
	});
});
