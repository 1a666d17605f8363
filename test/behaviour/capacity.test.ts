import { describe, expect, test } from '@jest/globals';
import { plusDays } from '../support/calendar.ts';
import { expectError } from '../support/expectations.ts';
import type { Client } from '../support/http-client.ts';
import { activeBookings, book, newCustomer, type Place, slotOn, tryToBook } from '../support/scheduling.ts';
import { newAccount } from '../support/shared-product.ts';

/** Sends `count` creates at once. @returns how many were accepted; every other one must be told that the slot is full */
async function rush(client: Client, place: Place, count: number): Promise<number> {
	const creates = Array.from({ length: count }, () => tryToBook(client, place, newCustomer()));
	const answers = await Promise.all(creates);
	const refused = answers.filter((answer) => answer.status !== 201);
	for (const answer of refused) expectError(answer, 400, 'time slot is full');
	return count - refused.length;
}

async function setMax(client: Client, place: Place, max_bookings: number): Promise<void> {
	(await client.patch('/v1/time-slots', { time_slots: [{ id: place.slot.id, max_bookings }] })).mustBe(200);
}

describe('Capacity, per slot and date (contract §4)', () => {
	test.each([1, 2, 10, 100])(
		'L1: When 300 customers want %i places at once, then exactly as many get one',
		async (max_bookings) => {
			const client = newAccount();
			const place = await slotOn(client, { max_bookings });
			expect(await rush(client, place, 300)).toBe(max_bookings);
			expect(await activeBookings(client, place.service.id)).toHaveLength(max_bookings);
			expectError(await tryToBook(client, place, newCustomer()), 400, 'time slot is full');
		},
	);

	test('L1: When 1,000 customers want 100 places at once, then exactly 100 get one', async () => {
		const client = newAccount();
		const place = await slotOn(client, { max_bookings: 100 });
		expect(await rush(client, place, 1000)).toBe(100);
		expect(await activeBookings(client, place.service.id)).toHaveLength(100);
	});

	test('When many dates and slots are wanted at once, then each has its own capacity', async () => {
		const client = newAccount();
		const [one, two] = [await slotOn(client, { max_bookings: 2 }), await slotOn(client, { max_bookings: 3 })];
		const dates = [0, 7, 14, 21].map((days) => plusDays(one.date, days));
		const rushes = dates.flatMap((date) => [rush(client, { ...one, date }, 20), rush(client, { ...two, date }, 20)]);
		expect(await Promise.all(rushes)).toEqual(dates.flatMap(() => [2, 3]));
	});

	test('When the slot is full on one date, then another date is free', async () => {
		const client = newAccount();
		const place = await slotOn(client);
		await book(client, place);
		expectError(await tryToBook(client, place), 400, 'time slot is full');
		await book(client, { ...place, date: plusDays(place.date, 7) });
	});

	test('L3: When a pending booking is confirmed, then it keeps its one place', async () => {
		const client = newAccount();
		const place = await slotOn(client, { max_bookings: 2 });
		const booking = await book(client, place);
		(await client.patch(`/v1/bookings/${booking.id}`, { status: 'confirmed' })).mustBe(200);
		expect(await rush(client, place, 5)).toBe(1);
	});

	test('L3: When a booking is cancelled or deleted, then its place is free at once', async () => {
		const client = newAccount();
		const place = await slotOn(client);
		for (let round = 0; round < 3; round++) {
			const cancelled = await book(client, place);
			const change = { status: 'cancelled', cancel_reason: 'x' };
			(await client.patch(`/v1/bookings/${cancelled.id}`, change)).mustBe(200);
			const deleted = await book(client, place);
			(await client.delete(`/v1/bookings/${deleted.id}`)).mustBe(200);
		}
		expect(await rush(client, place, 5)).toBe(1);
	});

	test('When places are freed and taken at once, then never more are held than there are', async () => {
		const client = newAccount();
		const place = await slotOn(client, { max_bookings: 5 });
		const first = await Promise.all(Array.from({ length: 5 }, () => book(client, place)));
		const frees = first.map((booking, number) =>
			number % 2 === 0
				? client.delete(`/v1/bookings/${booking.id}`)
				: client.patch(`/v1/bookings/${booking.id}`, { status: 'cancelled', cancel_reason: 'x' }),
		);
		await Promise.all([rush(client, place, 40), ...frees]);
		const left = 5 - (await activeBookings(client, place.service.id)).length;
		expect(left).toBeGreaterThanOrEqual(0);
		expect(await rush(client, place, 20)).toBe(left);
	});
});

describe('Changing the maximum (contract §3)', () => {
	test('When it is lowered under what is booked, then the bookings stay and new ones are refused until there is room', async () => {
		const client = newAccount();
		const place = await slotOn(client, { max_bookings: 5 });
		const bookings = await Promise.all(Array.from({ length: 5 }, () => book(client, place)));
		await setMax(client, place, 3);
		expect(await activeBookings(client, place.service.id)).toHaveLength(5);
		for (const booking of bookings.slice(0, 2)) {
			expectError(await tryToBook(client, place), 400, 'time slot is full');
			(await client.delete(`/v1/bookings/${booking.id}`)).mustBe(200);
		}
		expect(await rush(client, place, 10)).toBe(0);
		(await client.delete(`/v1/bookings/${bookings[2]!.id}`)).mustBe(200);
		expect(await rush(client, place, 10)).toBe(1);
	});

	test('When it was lowered with high seats taken, then free low seats do not let too many in', async () => {
		const client = newAccount();
		const place = await slotOn(client, { max_bookings: 10 });
		const bookings = await Promise.all(Array.from({ length: 10 }, () => book(client, place)));
		await setMax(client, place, 4);
		const gone = bookings.filter((_, number) => number % 3 !== 0).slice(0, 6);
		for (const booking of gone) (await client.delete(`/v1/bookings/${booking.id}`)).mustBe(200);
		expect(await rush(client, place, 20)).toBe(0);
		(await client.delete(`/v1/bookings/${bookings[0]!.id}`)).mustBe(200);
		expect(await rush(client, place, 20)).toBe(1);
	});

	test('When it is raised, then the new places are there at once', async () => {
		const client = newAccount();
		const place = await slotOn(client, { max_bookings: 2 });
		expect(await rush(client, place, 10)).toBe(2);
		await setMax(client, place, 7);
		expect(await rush(client, place, 30)).toBe(5);
	});
});
