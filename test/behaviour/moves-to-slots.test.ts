import { describe, expect, test } from '@jest/globals';
import type { Booking } from '../../shared/contract/schemas/booking.ts';
import type { Service } from '../../shared/contract/schemas/service.ts';
import type { TimeSlot } from '../../shared/contract/schemas/time-slot.ts';
import { plusDays } from '../support/calendar.ts';
import { expectError, expectRefusal } from '../support/expectations.ts';
import { eventsUpTo } from '../support/feed.ts';
import type { Client } from '../support/http-client.ts';
import { activeBookings, book, getBooking, getService, newCustomer, slotOn, tryToBook } from '../support/scheduling.ts';
import { newAccount } from '../support/shared-product.ts';

const move = (client: Client, id: number, body: Record<string, unknown>) =>
	client.patch<Booking>(`/v1/bookings/${id}`, body);
const cancel = { status: 'cancelled', cancel_reason: 'x' };

interface Place {
	service: Service;
	slot: TimeSlot;
	date: string;
}

/** Two places of two services. */
async function twoPlaces(client: Client, max_bookings = 1): Promise<[from: Place, to: Place]> {
	const to = {
		day_of_week: 3,
		start_time: '2026-01-05 14:00:00',
		end_time: '2026-01-05 15:30:00',
		timezone: 'Asia/Tokyo',
	};
	return [await slotOn(client, { max_bookings }), await slotOn(client, { max_bookings, ...to })];
}

describe('B2: Moving a booking to another slot', () => {
	test('B2: When the slot of another service has a place, then the booking is there, and its old place is free', async () => {
		const client = newAccount();
		const [from, to] = await twoPlaces(client);
		const booking = await book(client, from, newCustomer());
		const moved = (await move(client, booking.id, { time_slot_id: to.slot.id, date: to.date })).mustBe(200);
		const { updated_at } = moved;
		expect(moved).toEqual({
			...{ ...booking, date: to.date, service_id: to.service.id, time_slot_id: to.slot.id, time_slot: to.slot },
			...{ timezone: 'Asia/Tokyo', starts_at: `${to.date}T14:00:00+09:00`, ends_at: `${to.date}T15:30:00+09:00` },
			...{ version: 2, updated_at },
		});
		expect(await getBooking(client, booking.id)).toEqual(moved);
		expect(await activeBookings(client, from.service.id)).toEqual([]);
		expect(await activeBookings(client, to.service.id)).toEqual([moved]);
		expect((await getService(client, from.service.id)).bookings_count).toBe(0);
		expect((await getService(client, to.service.id)).bookings_count).toBe(1);
		expectError(await tryToBook(client, to), 400, 'time slot is full');
		await book(client, from);
		const events = await eventsUpTo(client, 3);
		expect(events[1]).toMatchObject({ type: 'booking.updated', data: moved });
		const { date, service_id, time_slot_id, time_slot, timezone, starts_at, ends_at } = booking;
		expect(events[1]!.previous).toEqual({ date, service_id, time_slot_id, time_slot, timezone, starts_at, ends_at });
	});

	test('B2: When the target refuses it, then it is told as a creation is, and keeps its place', async () => {
		const client = newAccount();
		const [from, to] = await twoPlaces(client);
		const customer = newCustomer();
		const booking = await book(client, from, customer);
		const there = { time_slot_id: to.slot.id, date: to.date };
		expectRefusal(await move(client, booking.id, { time_slot_id: to.slot.id }), 400, `time slot ${to.slot.id} is on`);
		expectError(await move(client, booking.id, { ...there, time_slot_id: 9_000_000_001 }), 404, 'time slot not found');
		const foreign = await slotOn(newAccount(), { day_of_week: 3 });
		expectError(
			await move(client, booking.id, { ...there, time_slot_id: foreign.slot.id }),
			404,
			'time slot not found',
		);
		const other = await book(client, to, customer);
		expectError(await move(client, booking.id, there), 400, 'duplicate booking');
		await client.delete(`/v1/bookings/${other.id}`);
		await book(client, to);
		expectError(await move(client, booking.id, there), 400, 'time slot is full');
		const rules = { min_notice_minutes: null, max_advance_days: 1 };
		(await client.patch(`/v1/services/${to.service.id}`, { rules })).mustBe(200);
		expectError(
			await move(client, booking.id, { ...there, date: plusDays(to.date, 350) }),
			400,
			'date: too early to book',
		);
		expect(await getBooking(client, booking.id)).toEqual(booking);
		expectError(await tryToBook(client, from), 400, 'time slot is full');
	});

	test('B2: When it is cancelled, then it moves without a place, and is in the other service’s list', async () => {
		const client = newAccount();
		const [from, to] = await twoPlaces(client);
		const booking = await book(client, from);
		(await move(client, booking.id, cancel)).mustBe(200);
		await book(client, to);
		const moved = (await move(client, booking.id, { time_slot_id: to.slot.id, date: to.date })).mustBe(200);
		expect(moved).toMatchObject({ status: 'cancelled', service_id: to.service.id, timezone: 'Asia/Tokyo', version: 3 });
		const query = { service_id: to.service.id, page: 1, page_size: 10, status: 'cancelled' };
		expect((await client.get('/v1/bookings', { query })).mustBe(200)).toMatchObject({ bookings: [moved] });
		expectError(await move(client, booking.id, { status: 'pending' }), 400, 'time slot is full');
	});

	test('B2: When the slot that it has is named, then it takes its present times; when it was read and is sent back, it stays', async () => {
		const client = newAccount();
		const place = await slotOn(client);
		const booking = await book(client, place);
		const again = { time_slot_id: place.slot.id };
		expect((await move(client, booking.id, again)).mustBe(200)).toEqual(booking);
		const time_slots = [{ id: place.slot.id, start_time: '2026-01-05 08:00:00', max_bookings: 5 }];
		(await client.patch('/v1/time-slots', { time_slots })).mustBe(200);
		expect((await move(client, booking.id, booking as never)).mustBe(200)).toEqual(booking);
		expect((await move(client, booking.id, { ...again, starts_at: booking.starts_at })).mustBe(200)).toEqual(booking);
		expect((await move(client, booking.id, { ...again, time_slot: booking.time_slot })).mustBe(200)).toEqual(booking);
		const now = (await move(client, booking.id, again)).mustBe(200);
		expect(now).toMatchObject({
			version: 2,
			starts_at: booking.starts_at.replace('T09', 'T08'),
			time_slot: { max_bookings: 5 },
		});
	});

	test('B2: When 20 bookings of several slots want the same 3 places, then exactly 3 get one, and none is lost', async () => {
		const client = newAccount();
		const target = await slotOn(client, { max_bookings: 3 });
		const from = [await slotOn(client, { max_bookings: 10 }), await slotOn(client, { max_bookings: 10 })];
		const bookings = await Promise.all(Array.from({ length: 20 }, (_, number) => book(client, from[number % 2]!)));
		const there = { time_slot_id: target.slot.id, date: target.date };
		const answers = await Promise.all(bookings.map(({ id }) => move(client, id, there)));
		expect(answers.filter(({ status }) => status === 200)).toHaveLength(3);
		for (const answer of answers.filter(({ status }) => status !== 200)) expectError(answer, 400, 'time slot is full');
		const counts = await Promise.all([target, ...from].map(({ service }) => activeBookings(client, service.id)));
		expect(counts.map(({ length }) => length)[0]).toBe(3);
		expect(
			counts
				.flat()
				.map(({ id }) => id)
				.sort(),
		).toEqual(bookings.map(({ id }) => id).sort());
	});

	test('B2: When a service is deleted while bookings move in and out, then each is with its service: there, or gone with its event', async () => {
		const client = newAccount();
		for (let round = 0; round < 5; round++) {
			const [stays, goes] = [await slotOn(client, { max_bookings: 20 }), await slotOn(client, { max_bookings: 20 })];
			const to = ({ slot, date }: Place) => ({ time_slot_id: slot.id, date });
			const inside = await Promise.all(Array.from({ length: 6 }, () => book(client, goes)));
			const outside = await Promise.all(Array.from({ length: 6 }, () => book(client, stays)));
			const moves = [...inside.map(({ id }) => ({ id, to: stays })), ...outside.map(({ id }) => ({ id, to: goes }))];
			const moving = moves.map(async (each) => ({ ...each, answer: await move(client, each.id, to(each.to)) }));
			const [moved] = await Promise.all([Promise.all(moving), client.delete(`/v1/services/${goes.service.id}`)]);
			const there = new Set((await activeBookings(client, stays.service.id)).map(({ id }) => id));
			for (const { id, to, answer } of moved) {
				if (answer.status === 200) expect([id, there.has(id)]).toEqual([id, to === stays]);
				else {
					expect([400, 404]).toContain(answer.status);
					expect([id, there.has(id)]).toEqual([id, to === goes]);
				}
				expect([id, (await client.get(`/v1/bookings/${id}`)).status]).toEqual([id, there.has(id) ? 200 : 404]);
			}
		}
	});
});
