import { describe, expect, test } from '@jest/globals';
import type { Booking } from '../../shared/contract/schemas/booking.ts';
import { expectError } from '../support/expectations.ts';
import { eventsUpTo } from '../support/feed.ts';
import { book, newCustomer, slotOn, tryToBook } from '../support/scheduling.ts';
import { newAccount } from '../support/shared-product.ts';

describe('Deleting a service with bookings (contract §3)', () => {
	test('When a service is deleted, then slots, bookings and customers are gone for every reader at once', async () => {
		const client = newAccount();
		const place = await slotOn(client, { max_bookings: 10 });
		const bookings: Booking[] = [];
		for (let number = 0; number < 5; number++) bookings.push(await book(client, place, newCustomer()));
		const { id } = place.service;
		(await client.delete(`/v1/services/${id}`)).mustBe(200);
		for (const booking of bookings) {
			expectError(await client.get(`/v1/bookings/${booking.id}`), 404, 'booking not found');
			expectError(await client.get(`/v1/bookings/${booking.id}/customer`), 404, 'booking not found');
			expectError(await client.patch(`/v1/bookings/${booking.id}`, { status: 'confirmed' }), 404, 'booking not found');
			expectError(await client.delete(`/v1/bookings/${booking.id}`), 404, 'booking not found');
		}
		expectError(await client.get(`/v1/services/${id}/time-slots`), 404, 'service not found');
		expectError(await client.get(`/v1/bookings?service_id=${id}&page=1&page_size=5`), 404, 'service not found');
		const range = `from=${place.date}&to=${place.date}`;
		expectError(await client.get(`/v1/services/${id}/availability?${range}`), 404, 'service not found');
		expectError(await tryToBook(client, place), 404, 'time slot not found');
	});

	test('When a service is deleted, then each removed booking gets its booking.deleted, cancelled ones too', async () => {
		const client = newAccount();
		const place = await slotOn(client, { max_bookings: 5 });
		const kept = await book(client, place, newCustomer());
		const cancelled = await book(client, place, newCustomer());
		const change = { status: 'cancelled', cancel_reason: 'Ill' };
		(await client.patch(`/v1/bookings/${cancelled.id}`, change)).mustBe(200);
		(await client.delete(`/v1/services/${place.service.id}`)).mustBe(200);
		const events = await eventsUpTo(client, 5);
		const deleted = events.filter((event) => event.type === 'booking.deleted');
		expect(deleted.map((event) => event.data.id).sort()).toEqual([kept.id, cancelled.id].sort());
		const last = deleted.find((event) => event.data.id === cancelled.id)!;
		expect(last).toMatchObject({
			id: `evt_${cancelled.id}_3`,
			data: { version: 3, status: 'cancelled', cancel_reason: 'Ill' },
		});
		expect(last.data.time_slot).toEqual(place.slot);
		expect(last.data.updated_at).toBe(last.timestamp);
	});

	test('When a service is deleted again, then it is 404', async () => {
		const client = newAccount();
		const place = await slotOn(client);
		(await client.delete(`/v1/services/${place.service.id}`)).mustBe(200);
		expectError(await client.delete(`/v1/services/${place.service.id}`), 404, 'service not found');
	});

	test('When a service is deleted while it is being booked, then nothing of it is left afterwards', async () => {
		const client = newAccount();
		const place = await slotOn(client, { max_bookings: 1000 });
		const creates = Array.from({ length: 150 }, () => tryToBook(client, place, newCustomer()));
		await Promise.race(creates);
		const removal = client.delete(`/v1/services/${place.service.id}`);
		const answers = await Promise.all(creates);
		(await removal).mustBe(200);
		for (const answer of answers) {
			if (answer.status === 201) {
				expectError(await client.get(`/v1/bookings/${answer.data.id}`), 404, 'booking not found');
			} else {
				expect([answer.status, answer.error]).toEqual([404, expect.stringMatching(/^(time slot|service) not found$/)]);
			}
		}
		expectError(await tryToBook(client, place), 404, 'time slot not found');
	});

	test('When two clients delete a service at once, then both end with `ok` or 404, and one with `ok`', async () => {
		const client = newAccount();
		const place = await slotOn(client, { max_bookings: 50 });
		await Promise.all(Array.from({ length: 50 }, () => book(client, place)));
		const answers = await Promise.all([1, 2, 3].map(() => client.delete(`/v1/services/${place.service.id}`)));
		expect(answers.map((answer) => answer.status)).toContain(200);
		for (const answer of answers) expect([200, 404]).toContain(answer.status);
	});
});
