import { describe, expect, test } from '@jest/globals';
import type { Availability } from '../../shared/contract/schemas/availability.ts';
import type { Booking } from '../../shared/contract/schemas/booking.ts';
import { NO_RULES } from '../../shared/contract/schemas/rules.ts';
import type { ReplaceSchedule, Schedule } from '../../shared/contract/schemas/schedule.ts';
import { dateOn } from '../support/calendar.ts';
import { expectError, expectRefusal, TIMESTAMP } from '../support/expectations.ts';
import type { Client } from '../support/http-client.ts';
import {
	book,
	createService,
	getBooking,
	getService,
	newCustomer,
	overrideDates,
	replaceSchedule,
	scheduleOf,
	slotInput,
	slotOn,
	slotsOf,
	tryToBook,
} from '../support/scheduling.ts';
import { newAccount } from '../support/shared-product.ts';

const MONDAY = dateOn(1);

async function threeSlots(client: Client): Promise<{ id: number; schedule: Schedule }> {
	const time_slots = [1, 2, 3].map((max_bookings) => slotInput({ max_bookings }));
	const { id } = await createService(client, { time_slots, rules: { max_advance_days: 400 } });
	return { id, schedule: await scheduleOf(client, id) };
}

async function maxima(client: Client, id: number): Promise<[number, number][]> {
	const path = `/v1/services/${id}/availability`;
	const { availability } = (await client.get<Availability>(path, { query: { from: MONDAY, to: MONDAY } })).mustBe(200);
	return availability.map(({ time_slot_id, max_bookings }) => [time_slot_id, max_bookings]);
}

describe('GET and PUT /v1/services/{serviceID}/schedule (contract §3)', () => {
	test('S2: When a schedule is read, then it is time zone, rules and all slots by id, with a version of its own', async () => {
		const client = newAccount();
		const { id } = await threeSlots(client);
		(await client.patch(`/v1/services/${id}`, { name: 'Another name' })).mustBe(200);
		const answer = await client.get<Schedule>(`/v1/services/${id}/schedule`);
		expect(answer.mustBe(200)).toEqual({
			timezone: 'Europe/Berlin',
			time_slots: await slotsOf(client, id),
			rules: { min_notice_minutes: null, max_advance_days: 400 },
			version: 1,
		});
		expect(Object.keys(answer.data)).toEqual(['timezone', 'time_slots', 'rules', 'version']);
		expect(answer.headers.etag).toBe('"1"');
		expectError(await client.get(`/v1/services/${id + 1_000_000}/schedule`), 404, 'service not found');
	});

	test('S2: When PUT has what GET answered, then nothing changes', async () => {
		const client = newAccount();
		const { id, schedule } = await threeSlots(client);
		const before = await getService(client, id);
		const answer = await replaceSchedule(client, id, schedule);
		expect(answer.mustBe(200)).toEqual(schedule);
		expect(answer.headers.etag).toBe('"1"');
		expect(await getService(client, id)).toEqual(before);
	});

	test('S2: When a schedule is replaced, then slots with an id keep it, others are new, those left out are retired', async () => {
		const client = newAccount();
		const { id, schedule } = await threeSlots(client);
		const [gone, same, raised] = schedule.time_slots;
		const body = {
			timezone: 'America/Lima',
			time_slots: [slotInput({ max_bookings: 9, valid_from: '2026-01-01' }), { ...raised, max_bookings: 30 }, same],
			rules: { min_notice_minutes: 5 },
		};
		const answer = await replaceSchedule(client, id, body);
		const now = answer.mustBe(200);
		const [first, second, added] = now.time_slots;
		expect(now).toEqual({
			timezone: 'America/Lima',
			time_slots: [
				same,
				{ ...raised, max_bookings: 30, updated_at: expect.stringMatching(TIMESTAMP) },
				{
					...slotInput({ max_bookings: 9, valid_from: '2026-01-01' }),
					...{ id: expect.any(Number), service_id: id, valid_until: null },
					...{ created_at: second!.updated_at, updated_at: second!.updated_at },
				},
			],
			rules: { min_notice_minutes: 5, max_advance_days: null },
			version: 2,
		});
		expect(answer.headers.etag).toBe('"2"');
		expect(Object.keys(added!)).toEqual(Object.keys(first!));
		expect(added!.id).toBeGreaterThan(second!.id);
		expect(await scheduleOf(client, id)).toEqual(now);
		expect(await slotsOf(client, id)).toEqual(now.time_slots);
		expect(await getService(client, id)).toMatchObject({ timezone: 'America/Lima', rules: now.rules, version: 2 });
		expect(await maxima(client, id)).toEqual([
			[same!.id, 2],
			[raised!.id, 30],
			[added!.id, 9],
		]);
		const all = await client.get<{ time_slots: unknown }>('/v1/time-slots', { query: { no_pagination: true } });
		expect(all.mustBe(200).time_slots).toEqual(now.time_slots);
		await book(client, { slot: added!, date: MONDAY });
		expectError(await tryToBook(client, { slot: gone!, date: MONDAY }), 404, 'time slot not found');
	});

	test('S2: When a slot is retired, then its bookings stay as they are, and nothing comes to it any more', async () => {
		const client = newAccount();
		const { id, schedule } = await threeSlots(client);
		const [stays, , gone] = schedule.time_slots;
		const there = { slot: gone!, date: MONDAY };
		const kept = await book(client, there, newCustomer());
		const cancelled = await book(client, there, newCustomer());
		const other = await book(client, { slot: stays!, date: MONDAY }, newCustomer());
		const path = (booking: Booking) => `/v1/bookings/${booking.id}`;
		(await client.patch(path(cancelled), { status: 'cancelled', cancel_reason: 'ill' })).mustBe(200);
		const body = { ...schedule, time_slots: [stays], timezone: 'Asia/Tokyo' };
		(await replaceSchedule(client, id, body)).mustBe(200);

		expect(await getBooking(client, kept.id)).toEqual(kept);
		const listed = await client.get<{ bookings: Booking[] }>('/v1/bookings', {
			query: { service_id: id, page: 1, page_size: 10 },
		});
		expect(listed.mustBe(200).bookings.map((booking) => booking.id)).toEqual([kept.id, cancelled.id, other.id]);
		const gone404 = 'time slot not found';
		expectError(await tryToBook(client, there), 404, gone404);
		expectError(await client.patch(path(other), { time_slot_id: gone!.id }), 404, gone404);
		expectError(await client.patch(path(cancelled), { status: 'pending' }), 404, gone404);
		expectError(await client.patch(path(kept), { date: dateOn(1, 1) }), 404, gone404);
		expectError(
			await client.patch('/v1/time-slots', { time_slots: [{ id: gone!.id, max_bookings: 1 }] }),
			404,
			gone404,
		);
		const dates = { date_from: MONDAY, date_to: MONDAY, time_slot_id: gone!.id, max_bookings: 0 };
		expectError(await client.post(`/v1/services/${id}/date-overrides`, dates), 404, gone404);
		const now = await scheduleOf(client, id);
		expectError(await replaceSchedule(client, id, { ...now, time_slots: [stays, gone] }), 404, gone404);
		expect(await scheduleOf(client, id)).toEqual(now);

		const noted = (await client.patch<Booking>(path(kept), { message: 'still coming', status: 'confirmed' })).mustBe(
			200,
		);
		expect(noted).toMatchObject({ time_slot: gone, timezone: 'Europe/Berlin', date: MONDAY });
		const moved = (
			await client.patch<Booking>(path(cancelled), { time_slot_id: stays!.id, date: dateOn(1, 1) })
		).mustBe(200);
		expect(moved.time_slot_id).toBe(stays!.id);
		(await client.delete(path(kept))).mustBe(200);
	});

	test('S2: When the service of retired slots is deleted, then their bookings are, too', async () => {
		const client = newAccount();
		const place = await slotOn(client, { max_bookings: 3 });
		const booking = await book(client, place);
		const { id } = place.service;
		(await replaceSchedule(client, id, { timezone: 'UTC', time_slots: [] })).mustBe(200);
		expect(await slotsOf(client, id)).toEqual([]);
		(await client.delete(`/v1/services/${id}`)).mustBe(200);
		expectError(await client.get(`/v1/bookings/${booking.id}`), 404, 'booking not found');
		expectError(await client.get(`/v1/services/${id}/schedule`), 404, 'service not found');
		expectError(await replaceSchedule(client, id, { timezone: 'UTC', time_slots: [] }), 404, 'service not found');
	});

	test('S2: When anything of a schedule changes, then its version grows, and with nothing else', async () => {
		const client = newAccount();
		const { id, schedule } = await threeSlots(client);
		const [slot] = schedule.time_slots;
		const service = `/v1/services/${id}`;
		const version = async () => (await scheduleOf(client, id)).version;
		const bulk = (max_bookings: number) =>
			client
				.patch('/v1/time-slots', { time_slots: [{ id: slot!.id, max_bookings }] })
				.then((answer) => answer.mustBe(200));
		const grows = async (change: () => Promise<unknown>) => {
			const before = await version();
			await change();
			expect(await version()).toBe(before + 1);
		};
		await grows(() => bulk(12));
		const { id: override } = await overrideDates(client, id);
		expect(await version()).toBe(3);
		await grows(() => client.delete(`${service}/date-overrides/${override}`));
		await grows(() => client.patch(service, { timezone: 'UTC' }));
		await grows(() => client.patch(service, { rules: { min_notice_minutes: 7 } }));
		await grows(async () => replaceSchedule(client, id, { ...(await scheduleOf(client, id)), timezone: 'Asia/Tokyo' }));
		await grows(() => bulk(13));
		await grows(async () => {
			const now = await scheduleOf(client, id); // its first slot was changed three times: retired, the version grows all the same
			return replaceSchedule(client, id, { ...now, time_slots: now.time_slots.slice(1) });
		});
		const before = await version();
		await client.patch(service, { name: 'Other', metadata: { a: 'b' }, timezone: 'Asia/Tokyo' });
		expect(await version()).toBe(before);
		expect((await getService(client, id)).version).toBe(5); // its zone three times, its rules, its name
	});

	test('S2: When the version is not the present one, then it is 409 in the body and 412 as If-Match, and nothing changes', async () => {
		const client = newAccount();
		const { id, schedule } = await threeSlots(client);
		const { version: _version, ...body } = { ...schedule, timezone: 'UTC' };
		const now = (await replaceSchedule(client, id, { ...body, version: 1 })).mustBe(200);
		expectError(await replaceSchedule(client, id, { ...schedule, version: 1 }), 409, 'version conflict');
		const stale = { headers: { 'if-match': '"1"' } };
		const { version: _stale, ...unversioned } = schedule;
		expectError(await replaceSchedule(client, id, unversioned, stale), 412, 'version conflict');
		expect(await scheduleOf(client, id)).toEqual(now);
		const fresh = { headers: { 'if-match': '"2"' } };
		expect((await replaceSchedule(client, id, { ...body, timezone: 'Asia/Tokyo' }, fresh)).mustBe(200).version).toBe(3);
		expect((await replaceSchedule(client, id, { ...body, timezone: 'UTC' })).mustBe(200).version).toBe(4);
	});

	test('S2: When rules are left out, then they are null', async () => {
		const client = newAccount();
		const { id, schedule } = await threeSlots(client);
		const { timezone, time_slots } = schedule;
		expect((await replaceSchedule(client, id, { timezone, time_slots })).mustBe(200).rules).toEqual(NO_RULES);
		(await replaceSchedule(client, id, { timezone, time_slots, rules: { max_advance_days: 3 } })).mustBe(200);
		expect((await replaceSchedule(client, id, { timezone, time_slots, rules: null })).mustBe(200).rules).toEqual(
			NO_RULES,
		);
	});

	test('S2: When a schedule cannot be, then the answer names the field, and nothing changes', async () => {
		const client = newAccount();
		const { id, schedule } = await threeSlots(client);
		const [slot] = schedule.time_slots;
		const bad = async (change: Partial<Record<keyof ReplaceSchedule, unknown>>, ...named: string[]) =>
			expectRefusal(await replaceSchedule(client, id, { ...schedule, ...change }), 400, ...named);
		await bad({ time_slots: Array.from({ length: 501 }, () => slotInput()) }, 'time_slots', '500');
		await bad(
			{ time_slots: [slotInput(), slotInput({ valid_from: '2026-02-02', valid_until: '2026-02-01' })] },
			'time_slots[1].valid_until',
		);
		await bad({ time_slots: [slotInput({ end_time: '2026-01-05 09:00:00' })] }, 'time_slots[0].end_time');
		await bad({ time_slots: [slot, slotInput(), slot] }, 'time_slots[2].id', 'more than once');
		await bad({ time_slots: [{ ...slot, id: 0 }] }, 'time_slots[0].id');
		await bad({ time_slots: [{ ...slot, id: null }] }, 'time_slots[0].id');
		await bad({ time_slots: [{ id: slot!.id, max_bookings: 3 }] }, 'time_slots[0].day_of_week');
		await bad({ time_slots: [slotInput({ max_bookings: 10_001 })] }, 'time_slots[0].max_bookings');
		await bad({ time_slots: null }, 'time_slots');
		await bad({ time_slots: undefined }, 'time_slots');
		await bad({ timezone: undefined }, 'timezone');
		await bad({ timezone: 'Mars/Olympus' }, 'timezone');
		await bad({ rules: { max_advance_days: 0 } }, 'rules.max_advance_days');
		await bad({ version: '1' }, 'version');
		const other = await slotOn(client);
		const foreign = await slotOn(newAccount());
		for (const unknown of [other.slot, foreign.slot, { ...slot, id: 9_000_000_001 }]) {
			const body = { ...schedule, time_slots: [...schedule.time_slots, unknown] };
			expectError(await replaceSchedule(client, id, body), 404, 'time slot not found');
		}
		const padded = { ...schedule, padding: 'x'.repeat(256 * 1024) };
		expectRefusal(await replaceSchedule(client, id, padded), 413);
		expect(await scheduleOf(client, id)).toEqual(schedule);
		expect(await slotsOf(client, other.service.id)).toEqual([other.slot]);
		expectError(await replaceSchedule(newAccount(), id, schedule), 404, 'service not found');
	});

	test('S2: When a schedule has 500 slots, then all are replaced at once', async () => {
		const client = newAccount();
		const { id } = await createService(client);
		const time_slots = Array.from({ length: 500 }, () => slotInput({ max_bookings: 3 }));
		const first = (await replaceSchedule(client, id, { timezone: 'UTC', time_slots })).mustBe(200);
		const raised = first.time_slots.map((slot) => ({ ...slot, max_bookings: 4 }));
		const second = (await replaceSchedule(client, id, { timezone: 'UTC', time_slots: raised })).mustBe(200);
		expect(second.time_slots.map((slot) => slot.id)).toEqual(first.time_slots.map((slot) => slot.id));
		expect(second.version).toBe(3);
		const third = (await replaceSchedule(client, id, { timezone: 'UTC', time_slots })).mustBe(200);
		expect(third.version).toBe(4);
		expect(await scheduleOf(client, id)).toEqual(third);
	});

	test('S2: When two schedules are sent for the same version at once, then one is there, and the other is refused', async () => {
		const client = newAccount();
		const { id } = await threeSlots(client);
		for (let round = 0; round < 10; round++) {
			const now = await scheduleOf(client, id);
			const answers = await Promise.all(
				[11, 12].map((max_bookings) => {
					const time_slots = [...now.time_slots.slice(1), slotInput({ max_bookings: max_bookings + round })];
					return replaceSchedule(client, id, { ...now, time_slots });
				}),
			);
			expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
			const winner = answers.find(({ status }) => status === 200)!;
			expect(await scheduleOf(client, id)).toEqual(winner.data);
		}
	});

	test('S2: When a schedule is replaced again and again, then every reader sees one that was sent, and no booking is lost or moved', async () => {
		const client = newAccount();
		const { id, schedule } = await threeSlots(client);
		const kept = schedule.time_slots[0]!;
		const sign = (slots: { id: number; max_bookings: number }[]) =>
			JSON.stringify(slots.map((slot) => [slot.id, slot.max_bookings]));
		const sent = new Map([[sign(schedule.time_slots), schedule.timezone]]);
		const seen: { slots: string; timezone?: string }[] = [];
		const made: Booking[] = [];
		let isDone = false;
		const readers = [
			async () => {
				const { time_slots, timezone } = await scheduleOf(client, id);
				seen.push({ slots: sign(time_slots), timezone });
			},
			async () => void seen.push({ slots: sign(await slotsOf(client, id)) }),
			async () => {
				const rows = await maxima(client, id);
				seen.push({ slots: sign(rows.map(([slot, max_bookings]) => ({ id: slot, max_bookings }))) });
			},
			async () => {
				const answer = await tryToBook(client, { slot: kept, date: MONDAY }, newCustomer());
				if (answer.status === 201) made.push(answer.data);
			},
		].map(async (read) => {
			while (!isDone) await read();
		});
		for (let round = 1; round <= 40; round++) {
			const now = await scheduleOf(client, id);
			const max_bookings = 3 + round;
			const time_slots = [{ ...kept, max_bookings }, ...now.time_slots.slice(2), slotInput({ max_bookings })];
			const timezone = round % 2 === 0 ? 'Europe/Berlin' : 'Asia/Tokyo';
			const answer = (await replaceSchedule(client, id, { ...now, time_slots, timezone })).mustBe(200);
			sent.set(sign(answer.time_slots), timezone);
		}
		isDone = true;
		await Promise.all(readers);
		expect(seen.length).toBeGreaterThan(20);
		expect(seen.filter(({ slots }) => !sent.has(slots))).toEqual([]);
		expect(seen.filter(({ slots, timezone }) => timezone !== undefined && sent.get(slots) !== timezone)).toEqual([]);
		expect(made.length).toBeGreaterThan(5);
		for (const booking of made) {
			expect(await getBooking(client, booking.id)).toEqual(booking);
			// Slot and zone that it was promised are of one schedule.
			const { max_bookings } = booking.time_slot;
			expect(booking.timezone).toBe(max_bookings > 3 && max_bookings % 2 === 0 ? 'Asia/Tokyo' : 'Europe/Berlin');
		}
	});
});
