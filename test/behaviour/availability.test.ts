import { describe, expect, test } from '@jest/globals';
import type { Availability, AvailabilityEntry } from '../../shared/contract/schemas/availability.ts';
import { dateOn, plusDays } from '../support/calendar.ts';
import { expectError, expectRefusal } from '../support/expectations.ts';
import type { Client } from '../support/http-client.ts';
import { book, createService, slotInput, slotOn, slotsOf, tryToBook } from '../support/scheduling.ts';
import { newAccount } from '../support/shared-product.ts';

async function availability(client: Client, serviceId: number, from: string, to: string): Promise<AvailabilityEntry[]> {
	const path = `/v1/services/${serviceId}/availability?from=${from}&to=${to}`;
	const data = (await client.get<Availability>(path)).mustBe(200);
	expect(Object.keys(data)).toEqual(['availability']);
	return data.availability;
}

/** Start and end of the only slot on one date. */
async function times(timezone: string, date: string, start: string, end: string): Promise<[string, string]> {
	const client = newAccount();
	const day_of_week = new Date(`${date}T00:00:00Z`).getUTCDay();
	const { service } = await slotOn(client, { timezone, day_of_week, start_time: start, end_time: end });
	const [entry] = await availability(client, service.id, date, date);
	return [entry!.starts_at, entry!.ends_at];
}

describe('GET /v1/services/{id}/availability (contract §4)', () => {
	test('When a range is asked for, then every date and slot comes, by date, then by slot', async () => {
		const client = newAccount();
		const time_slots = [slotInput({ day_of_week: 3 }), slotInput({ day_of_week: 1 }), slotInput({ day_of_week: 3 })];
		const { id } = await createService(client, { time_slots });
		const [a, b, c] = (await slotsOf(client, id)).map((slot) => slot.id);
		const entries = await availability(client, id, dateOn(0), plusDays(dateOn(0), 13));
		expect(entries.map(({ date, time_slot_id }) => [date, time_slot_id])).toEqual([
			[dateOn(1), b],
			[dateOn(3), a],
			[dateOn(3), c],
			[dateOn(1, 1), b],
			[dateOn(3, 1), a],
			[dateOn(3, 1), c],
		]);
	});

	test('When bookings come and go, then booked, remaining, bookable and reason follow', async () => {
		const client = newAccount();
		const place = await slotOn(client, { max_bookings: 2 });
		const look = async () => (await availability(client, place.service.id, place.date, place.date))[0]!;
		const base = {
			date: place.date,
			time_slot_id: place.slot.id,
			starts_at: `${place.date}T09:00:00+01:00`,
			ends_at: `${place.date}T10:00:00+01:00`,
			max_bookings: 2,
			override_id: null,
		};
		expect(await look()).toEqual({ ...base, booked: 0, remaining: 2, bookable: true, reason: null });
		const one = await book(client, place);
		expect(await look()).toEqual({ ...base, booked: 1, remaining: 1, bookable: true, reason: null });
		const two = await book(client, place);
		expect(await look()).toEqual({ ...base, booked: 2, remaining: 0, bookable: false, reason: 'full' });
		(await client.patch(`/v1/bookings/${one.id}`, { status: 'cancelled', cancel_reason: 'x' })).mustBe(200);
		(await client.delete(`/v1/bookings/${two.id}`)).mustBe(200);
		expect(await look()).toEqual({ ...base, booked: 0, remaining: 2, bookable: true, reason: null });
	});

	test('S6: When the maximum is 0, then availability and creation say closed, with bookings or without', async () => {
		const client = newAccount();
		const place = await slotOn(client, { max_bookings: 1 });
		(await client.patch('/v1/time-slots', { time_slots: [{ id: place.slot.id, max_bookings: 0 }] })).mustBe(200);
		const [entry] = await availability(client, place.service.id, place.date, place.date);
		expect(entry).toMatchObject({ max_bookings: 0, booked: 0, remaining: 0, bookable: false, reason: 'closed' });
		const refusal = await tryToBook(client, place);
		expectError(refusal, 400, 'time slot is full');
		expect(refusal.body).toMatchObject({ code: 'closed' });
	});

	test('S6: When only a slot, or only what can be booked, is asked for, then the other rows are left out', async () => {
		const client = newAccount();
		const { id } = await createService(client, { time_slots: [slotInput(), slotInput()] });
		const [one, two] = await slotsOf(client, id);
		const [date, next] = [dateOn(1), dateOn(1, 1)];
		await book(client, { slot: one!, date });
		const rows = async (query: object) => {
			const path = `/v1/services/${id}/availability`;
			const options = { query: { from: date, to: next, ...query } };
			const { availability: found } = (await client.get<Availability>(path, options)).mustBe(200);
			return found.map((entry) => [entry.time_slot_id, entry.date]);
		};
		expect(await rows({ time_slot_id: one!.id })).toEqual([
			[one!.id, date],
			[one!.id, next],
		]);
		expect(await rows({ bookable: true })).toEqual([
			[two!.id, date],
			[one!.id, next],
			[two!.id, next],
		]);
		expect(await rows({ bookable: false })).toEqual([[one!.id, date]]);
		expect(await rows({ bookable: true, time_slot_id: one!.id })).toEqual([[one!.id, next]]);
		expect(await rows({ time_slot_id: 999_999_999 })).toEqual([]);
	});

	test('When the maximum was lowered under what is booked, then remaining is 0, never less', async () => {
		const client = newAccount();
		const place = await slotOn(client, { max_bookings: 3 });
		for (let number = 0; number < 3; number++) await book(client, place);
		for (const max_bookings of [1, 0]) {
			(await client.patch('/v1/time-slots', { time_slots: [{ id: place.slot.id, max_bookings }] })).mustBe(200);
			const [entry] = await availability(client, place.service.id, place.date, place.date);
			const reason = max_bookings === 0 ? 'closed' : 'full';
			expect(entry).toMatchObject({ max_bookings, booked: 3, remaining: 0, bookable: false, reason });
		}
	});

	test('When availability says bookable, then creation agrees, and the other way round', async () => {
		const client = newAccount();
		const time_slots = [0, 1, 2, 3, 4, 5, 6].map((day_of_week) => slotInput({ day_of_week }));
		const { id } = await createService(client, { time_slots });
		const slots = await slotsOf(client, id);
		const entries = await availability(client, id, dateOn(0), dateOn(0, 2));
		expect(entries).toHaveLength(15);
		for (const slot of slots) {
			for (let days = 0; days < 7; days++) {
				const date = plusDays(dateOn(0), days);
				const isListed = entries.some((entry) => entry.time_slot_id === slot.id && entry.date === date);
				expect((await tryToBook(client, { slot, date })).status).toBe(isListed ? 201 : 400);
			}
		}
		expect((await availability(client, id, dateOn(0), dateOn(6))).every((entry) => !entry.bookable)).toBe(true);
	});

	test('When the range is 92 days, then it is answered, and 93 are 400', async () => {
		const client = newAccount();
		const place = await slotOn(client, { day_of_week: 0 });
		const from = dateOn(0);
		expect(await availability(client, place.service.id, from, plusDays(from, 91))).toHaveLength(14);
		const path = `/v1/services/${place.service.id}/availability`;
		expectRefusal(await client.get(`${path}?from=${from}&to=${plusDays(from, 92)}`), 400, 'to');
		expectRefusal(await client.get(`${path}?from=${from}&to=${plusDays(from, -1)}`), 400, 'to');
	});

	test('When a date is missing or not real, then it is 400 and named', async () => {
		const client = newAccount();
		const { service } = await slotOn(client);
		const path = `/v1/services/${service.id}/availability`;
		expectRefusal(await client.get(path), 400, 'from', 'to');
		expectRefusal(await client.get(`${path}?from=2026-02-30&to=2026-03-01`), 400, 'from');
		expectRefusal(await client.get(`${path}?from=2026-03-01&to=soon`), 400, 'to');
	});

	test('When the service is unknown or has no slots, then it is 404 or empty', async () => {
		const client = newAccount();
		const range = `from=${dateOn(0)}&to=${dateOn(6)}`;
		expectError(await client.get(`/v1/services/9007199254740991/availability?${range}`), 404, 'service not found');
		const { id } = await createService(client);
		expect(await availability(client, id, dateOn(0), dateOn(6))).toEqual([]);
	});
});

/** [zone, date, start, end, starts_at, ends_at]; offsets and transitions are those of the IANA database. */
const zones: [string, string, string, string, string, string][] = [
	['UTC', '2026-07-06', '09:00:00', '10:00:00', 'T09:00:00+00:00', 'T10:00:00+00:00'],
	['Europe/Berlin', '2026-07-06', '09:00:00', '10:00:00', 'T09:00:00+02:00', 'T10:00:00+02:00'],
	['Europe/Berlin', '2026-12-07', '09:00:00', '10:00:00', 'T09:00:00+01:00', 'T10:00:00+01:00'],
	['Asia/Kolkata', '2026-07-06', '09:00:00', '10:00:00', 'T09:00:00+05:30', 'T10:00:00+05:30'],
	['Asia/Kathmandu', '2026-07-06', '09:00:00', '10:00:00', 'T09:00:00+05:45', 'T10:00:00+05:45'],
	['Pacific/Apia', '2026-07-06', '09:00:00', '10:00:00', 'T09:00:00+13:00', 'T10:00:00+13:00'],
	['America/St_Johns', '2026-01-05', '09:00:00', '10:00:00', 'T09:00:00-03:30', 'T10:00:00-03:30'],
	// Skipped: 02:00 to 03:00 on 2026-03-29 in Berlin, 2026-03-08 in New York; 02:00 to 02:30 on Lord Howe Island.
	['Europe/Berlin', '2026-03-29', '01:30:00', '02:30:00', 'T01:30:00+01:00', 'T03:30:00+02:00'],
	['Europe/Berlin', '2026-03-29', '02:30:00', '04:00:00', 'T03:30:00+02:00', 'T04:00:00+02:00'],
	['America/New_York', '2026-03-08', '02:15:00', '05:00:00', 'T03:15:00-04:00', 'T05:00:00-04:00'],
	['Australia/Lord_Howe', '2026-10-04', '02:15:00', '05:00:00', 'T02:45:00+11:00', 'T05:00:00+11:00'],
	// Twice: 02:00 to 03:00 on 2026-10-25 in Berlin, 01:00 to 02:00 on 2026-11-01 in New York; the first counts.
	['Europe/Berlin', '2026-10-25', '02:30:00', '03:30:00', 'T02:30:00+02:00', 'T03:30:00+01:00'],
	['Europe/Berlin', '2026-10-25', '01:30:00', '02:30:00', 'T01:30:00+02:00', 'T02:30:00+02:00'],
	['America/New_York', '2026-11-01', '01:30:00', '03:00:00', 'T01:30:00-04:00', 'T03:00:00-05:00'],
	// Midnight itself is skipped in Cairo on 2026-04-24.
	['Africa/Cairo', '2026-04-24', '00:30:00', '09:00:00', 'T01:30:00+03:00', 'T09:00:00+03:00'],
];

describe('Wall-clock times in the zone of the service (contract §3, §4)', () => {
	test.each(zones)(
		'When a slot in %s on %s goes from %s to %s, then it starts at %s and ends at %s',
		async (...row) => {
			const [timezone, date, start, end, startsAt, endsAt] = row;
			const found = await times(timezone, date, `2026-01-05 ${start}`, `2026-01-05 ${end}`);
			expect(found).toEqual([`${date}${startsAt}`, `${date}${endsAt}`]);
		},
	);

	test('When a slot runs past midnight, then its length is kept and it belongs to the date of its start', async () => {
		const found = await times('Europe/Berlin', '2026-07-06', '2026-01-05 22:00:00', '2026-01-06 02:00:00');
		expect(found).toEqual(['2026-07-06T22:00:00+02:00', '2026-07-07T02:00:00+02:00']);
	});

	test('When a slot runs for more than a day, then the days between are kept', async () => {
		const found = await times('Europe/Berlin', '2026-07-06', '2026-01-05 22:00:00', '2026-01-08 06:30:00');
		expect(found).toEqual(['2026-07-06T22:00:00+02:00', '2026-07-09T06:30:00+02:00']);
	});

	test('When a slot runs past midnight into a change of the clocks, then its end is wall-clock time as well', async () => {
		const found = await times('Europe/Berlin', '2026-03-28', '2026-01-03 23:00:00', '2026-01-04 06:00:00');
		expect(found).toEqual(['2026-03-28T23:00:00+01:00', '2026-03-29T06:00:00+02:00']);
	});

	test('When the zone of a service changes, then its slots follow', async () => {
		const client = newAccount();
		const { service, date } = await slotOn(client);
		(await client.patch(`/v1/services/${service.id}`, { timezone: 'Asia/Tokyo' })).mustBe(200);
		const [entry] = await availability(client, service.id, date, date);
		expect(entry!.starts_at).toBe(`${date}T09:00:00+09:00`);
	});
});
