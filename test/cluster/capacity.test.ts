import { describe, expect, test } from '@jest/globals';
import { plusDays } from '../support/calendar.ts';
import { expectError } from '../support/expectations.ts';
import type { Answer, Client } from '../support/http-client.ts';
import { activeBookings, book, newCustomer, type Place, slotOn, tryToBook } from '../support/scheduling.ts';
import { newAccount } from '../support/shared-product.ts';

const CLIENTS = 1000;

async function rush(client: Client, place: Place, count = CLIENTS): Promise<number> {
	const answers = await Promise.all(Array.from({ length: count }, () => tryToBook(client, place, newCustomer())));
	const [accepted, refused] = split(answers);
	for (const answer of refused) expectError(answer, 400, 'time slot is full');
	return accepted.length;
}

function split(answers: Answer[]): [Answer[], Answer[]] {
	return [answers.filter(({ status }) => status < 300), answers.filter(({ status }) => status >= 300)];
}

describe('1,000 creates at once over three booking processes (L1)', () => {
	test.each([1, 2, 10, 100, 500])('When they want %i places, then exactly as many get one', async (max_bookings) => {
		const client = newAccount();
		const place = await slotOn(client, { max_bookings });
		expect(await rush(client, place)).toBe(max_bookings);
		const active = await activeBookings(client, place.service.id);
		expect(active).toHaveLength(max_bookings);
		expect(new Set(active.map((booking) => booking.id)).size).toBe(max_bookings);
	});

	test('When they want places of 10 dates, then each date gets as many as it has', async () => {
		const client = newAccount();
		const place = await slotOn(client, { max_bookings: 7 });
		const dates = Array.from({ length: 10 }, (_, week) => plusDays(place.date, 7 * week));
		const accepted = await Promise.all(dates.map((date) => rush(client, { ...place, date }, CLIENTS / 10)));
		expect(accepted).toEqual(dates.map(() => 7));
	});

	test('When one customer sends them all, then one is booked and the others are duplicates', async () => {
		const client = newAccount();
		const place = await slotOn(client, { max_bookings: 100 });
		const customer = newCustomer();
		const answers = await Promise.all(Array.from({ length: CLIENTS }, () => tryToBook(client, place, customer)));
		const [accepted, refused] = split(answers);
		expect(accepted).toHaveLength(1);
		for (const answer of refused) expectError(answer, 400, 'duplicate booking');
	});

	test('When places are given up and taken, moved and brought back at once, then never more are held than there are', async () => {
		const client = newAccount();
		const place = await slotOn(client, { max_bookings: 20 });
		const later = plusDays(place.date, 7);
		const first = await Promise.all(Array.from({ length: 20 }, () => book(client, place, newCustomer())));
		const cancel = { status: 'cancelled', cancel_reason: 'x' };
		const changes = first.map(({ id }, number) => {
			if (number % 4 === 0) return client.delete(`/v1/bookings/${id}`);
			if (number % 4 === 1) return client.patch(`/v1/bookings/${id}`, { date: later });
			if (number % 4 === 2) return client.patch(`/v1/bookings/${id}`, cancel);
			return client
				.patch(`/v1/bookings/${id}`, cancel)
				.then(() => client.patch(`/v1/bookings/${id}`, { status: 'confirmed' }));
		});
		const creates = Array.from({ length: 300 }, () => tryToBook(client, place, newCustomer()));
		await Promise.all([...changes, ...creates]);
		const active = await activeBookings(client, place.service.id);
		const held = active.filter((booking) => booking.date === place.date).length;
		expect(held).toBeLessThanOrEqual(20);
		expect(await rush(client, place, 50)).toBe(20 - held);
		expect(active.filter((booking) => booking.date === later)).toHaveLength(5);
	});
});
