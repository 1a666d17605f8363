import { describe, expect, test } from '@jest/globals';
import type { Booking } from '../../shared/contract/schemas/booking.ts';
import { plusDays } from '../support/calendar.ts';
import { expectError, expectRefusal } from '../support/expectations.ts';
import type { Client } from '../support/http-client.ts';
import { activeBookings, book, getBooking, newCustomer, slotOn, tryToBook } from '../support/scheduling.ts';
import { newAccount } from '../support/shared-product.ts';

function move(client: Client, id: number, date: string, more: Record<string, unknown> = {}) {
	return client.patch<Booking>(`/v1/bookings/${id}`, { date, ...more });
}

describe('Moving a booking to another date (contract §4)', () => {
	test('L3: When the new date has a place, then the booking has it and the old one is free', async () => {
		const client = newAccount();
		const place = await slotOn(client);
		const later = { ...place, date: plusDays(place.date, 7) };
		const booking = await book(client, place, newCustomer());
		const moved = (await move(client, booking.id, later.date)).mustBe(200);
		const { starts_at, ends_at, updated_at } = moved;
		expect(moved).toEqual({ ...booking, date: later.date, starts_at, ends_at, version: 2, updated_at });
		expect([starts_at, ends_at].map((moment) => moment.slice(0, 10))).toEqual([later.date, later.date]);
		expectError(await tryToBook(client, later), 400, 'time slot is full');
		await book(client, place);
	});

	test('When the new date is full, then it is `time slot is full` and the old place is kept', async () => {
		const client = newAccount();
		const place = await slotOn(client);
		const later = { ...place, date: plusDays(place.date, 7) };
		const booking = await book(client, place);
		await book(client, later);
		expectError(await move(client, booking.id, later.date), 400, 'time slot is full');
		expect(await getBooking(client, booking.id)).toEqual(booking);
		expectError(await tryToBook(client, place), 400, 'time slot is full');
	});

	test('When the customer is booked on the new date already, then it is `duplicate booking`', async () => {
		const client = newAccount();
		const place = await slotOn(client, { max_bookings: 5 });
		const later = { ...place, date: plusDays(place.date, 7) };
		const customer = newCustomer();
		const booking = await book(client, place, customer);
		await book(client, later, customer);
		expectError(await move(client, booking.id, later.date), 400, 'duplicate booking');
		expect(await getBooking(client, booking.id)).toEqual(booking);
	});

	test('When the new date falls on another day, then it is 400 and says which', async () => {
		const client = newAccount();
		const place = await slotOn(client, { day_of_week: 1 });
		const booking = await book(client, place);
		const answer = await move(client, booking.id, '2026-03-14');
		expectRefusal(answer, 400, `date: 2026-03-14 is a Saturday, time slot ${place.slot.id} is on Mondays`);
	});

	test('When the weekday of the slot was changed, then only a new date is checked against it', async () => {
		const client = newAccount();
		const place = await slotOn(client, { day_of_week: 1 });
		const booking = await book(client, place);
		(await client.patch('/v1/time-slots', { time_slots: [{ id: place.slot.id, day_of_week: 3 }] })).mustBe(200);
		(await client.patch(`/v1/bookings/${booking.id}`, { date: booking.date, message: 'x' })).mustBe(200);
		expectRefusal(await move(client, booking.id, plusDays(place.date, 7)), 400, 'date');
		(await move(client, booking.id, plusDays(place.date, 2))).mustBe(200);
	});

	test('When a cancelled booking gets a new date, then it claims no place', async () => {
		const client = newAccount();
		const place = await slotOn(client);
		const later = { ...place, date: plusDays(place.date, 7) };
		const booking = await book(client, place);
		(await client.patch(`/v1/bookings/${booking.id}`, { status: 'cancelled', cancel_reason: 'x' })).mustBe(200);
		await book(client, later);
		const moved = (await move(client, booking.id, later.date)).mustBe(200);
		expect(moved).toMatchObject({ date: later.date, status: 'cancelled' });
		expectError(await client.patch(`/v1/bookings/${booking.id}`, { status: 'pending' }), 400, 'time slot is full');
	});

	test('When date and status change together, then both do, or neither', async () => {
		const client = newAccount();
		const place = await slotOn(client);
		const later = { ...place, date: plusDays(place.date, 7) };
		const booking = await book(client, place);
		const both = (await move(client, booking.id, later.date, { status: 'confirmed', message: 'x' })).mustBe(200);
		expect(both).toMatchObject({ date: later.date, status: 'confirmed', message: 'x', version: 2 });
		await book(client, place);
		expectError(
			await move(client, booking.id, place.date, { status: 'pending', message: 'y' }),
			400,
			'time slot is full',
		);
		expect(await getBooking(client, booking.id)).toEqual(both);
	});

	test('When a move comes with a cancellation, then the new date needs no place', async () => {
		const client = newAccount();
		const place = await slotOn(client);
		const later = { ...place, date: plusDays(place.date, 7) };
		const booking = await book(client, place);
		await book(client, later);
		const cancel = { status: 'cancelled', cancel_reason: 'x' };
		expect((await move(client, booking.id, later.date, cancel)).mustBe(200)).toMatchObject({ date: later.date });
		await book(client, place);
	});

	test('When a booking moves away and back, then its place is its own again', async () => {
		const client = newAccount();
		const place = await slotOn(client);
		const booking = await book(client, place);
		for (let round = 0; round < 5; round++) {
			(await move(client, booking.id, plusDays(place.date, 7))).mustBe(200);
			(await move(client, booking.id, place.date)).mustBe(200);
		}
		expect((await getBooking(client, booking.id)).version).toBe(11);
		expectError(await tryToBook(client, place), 400, 'time slot is full');
	});

	test('When 20 bookings want the same 3 places by moving, then exactly 3 get one', async () => {
		const client = newAccount();
		const place = await slotOn(client, { max_bookings: 3 });
		const target = plusDays(place.date, 70);
		const ids: number[] = [];
		for (let week = 0; ids.length < 20; week++) {
			for (let seat = 0; seat < 3 && ids.length < 20; seat++) {
				ids.push((await book(client, { ...place, date: plusDays(place.date, 7 * week) })).id);
			}
		}
		const answers = await Promise.all(ids.map((id) => move(client, id, target)));
		expect(answers.filter((answer) => answer.status === 200)).toHaveLength(3);
		for (const answer of answers.filter(({ status }) => status !== 200)) expectError(answer, 400, 'time slot is full');
		const active = await activeBookings(client, place.service.id);
		expect(active).toHaveLength(20);
		expect(active.filter((booking) => booking.date === target)).toHaveLength(3);
	});

	test('When two bookings swap dates at once on full dates, then neither is lost and no date has two', async () => {
		const client = newAccount();
		const place = await slotOn(client);
		const later = plusDays(place.date, 7);
		const one = await book(client, place);
		const two = await book(client, { ...place, date: later });
		const answers = await Promise.all([move(client, one.id, later), move(client, two.id, place.date)]);
		for (const answer of answers) expect([200, 400]).toContain(answer.status);
		const dates = (await activeBookings(client, place.service.id)).map((booking) => booking.date);
		expect(dates.sort()).toEqual([place.date, later]);
	});
});
