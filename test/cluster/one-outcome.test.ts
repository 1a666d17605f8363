import { describe, expect, test } from '@jest/globals';
import type { Booking } from '../../shared/contract/schemas/booking.ts';
import { eventsUpTo } from '../support/feed.ts';
import { activeBookings, book, bookingBody, getBooking, newCustomer, slotOn } from '../support/scheduling.ts';
import { newAccount } from '../support/shared-product.ts';

describe('Many requests for one thing over three booking processes', () => {
	test('I2: When 100 creates carry one key, one customer and one place, then there is one booking and one answer', async () => {
		const client = newAccount();
		for (let round = 0; round < 5; round++) {
			const place = await slotOn(client);
			const body = bookingBody(place, newCustomer());
			const headers = { 'idempotency-key': `key-${round}` };
			const creates = Array.from({ length: 100 }, () => client.post<Booking>('/v1/bookings', body, { headers }));
			const answers = await Promise.all(creates);
			const created = answers.filter(({ status }) => status === 201);
			expect(new Set(created.map((answer) => answer.text)).size).toBe(1);
			for (const answer of answers.filter(({ status }) => status !== 201)) {
				expect([answer.status, answer.headers['retry-after']]).toEqual([409, '1']);
			}
			expect(await activeBookings(client, place.service.id)).toHaveLength(1);
		}
	});

	test('V2: When 50 PATCHes carry one If-Match, then one is 200 and 49 are 412', async () => {
		const client = newAccount();
		const { id } = await book(client, await slotOn(client));
		const headers = { 'if-match': '"1"' };
		const patches = Array.from({ length: 50 }, (_, number) =>
			client.patch(`/v1/bookings/${id}`, { message: `m${number}` }, { headers }),
		);
		const statuses = (await Promise.all(patches)).map((answer) => answer.status).sort();
		expect(statuses).toEqual([200, ...Array.from({ length: 49 }, () => 412)]);
	});

	test('V2: When 200 PATCHes carry none, then all are 200, the version grows by 200 and no field is lost', async () => {
		const client = newAccount();
		const { id } = await book(client, await slotOn(client));
		const patches = Array.from({ length: 200 }, (_, number) =>
			number % 2 === 0
				? client.patch<Booking>(`/v1/bookings/${id}`, { message: `m${number}` })
				: client.patch<Booking>(`/v1/bookings/${id}/customer`, { name: `n${number}` }),
		);
		for (const answer of await Promise.all(patches)) answer.mustBe(200);
		const after = await getBooking(client, id);
		expect(after.version).toBe(201);
		expect([after.message, after.customer.name]).toEqual([expect.stringMatching(/^m/), expect.stringMatching(/^n/)]);
		const events = await eventsUpTo(client, 201);
		expect(events.map((event) => event.data.version).sort((a, b) => a - b)).toEqual(
			events.map((_, index) => index + 1),
		);
	});

	test('When 500 bookings are made at once, then the feed has each once, and its sequence has no gap', async () => {
		const client = newAccount();
		const place = await slotOn(client, { max_bookings: 500 });
		const bookings = await Promise.all(Array.from({ length: 500 }, () => book(client, place)));
		const events = await eventsUpTo(client, 500);
		expect(events.map((event) => event.sequence)).toEqual(events.map((_, index) => index + 1));
		const ids = bookings.map((booking) => booking.id).sort((a, b) => a - b);
		expect(events.map((event) => event.data.id).sort((a, b) => a - b)).toEqual(ids);
	});
});
