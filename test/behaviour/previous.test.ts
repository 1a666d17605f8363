import { describe, expect, test } from '@jest/globals';
import type { Booking } from '../../shared/contract/schemas/booking.ts';
import { plusDays } from '../support/calendar.ts';
import { eventsUpTo } from '../support/feed.ts';
import { book, newCustomer, slotOn } from '../support/scheduling.ts';
import { newAccount } from '../support/shared-product.ts';

describe('B4: An event says what was before it', () => {
	test('B4: When a booking changes, then each event has the fields that changed, as they were, and no others', async () => {
		const client = newAccount();
		const place = await slotOn(client, { max_bookings: 2 });
		const created = await book(client, place, { ...newCustomer(), message: 'first' });
		const path = `/v1/bookings/${created.id}`;
		const change = async (body: object) => (await client.patch<Booking>(path, body)).mustBe(200);
		const date = plusDays(place.date, 7);
		await change({ status: 'confirmed' });
		await change({ date, message: null });
		(await client.patch(`${path}/customer`, { name: 'Other' })).mustBe(200);
		await change({ status: 'cancelled', cancel_reason: 'ill' });
		const renamed = await change({ status: 'cancelled', cancel_reason: 'well' });
		await change({ message: null }); // nothing
		await change({ status: 'pending', date: place.date });
		(await client.delete(path)).mustBe(200);
		const events = await eventsUpTo(client, 8);
		const moved = { date, starts_at: renamed.starts_at, ends_at: renamed.ends_at };
		expect(events.map(({ previous }) => previous)).toEqual([
			{},
			{ status: 'pending' },
			{ date: place.date, starts_at: created.starts_at, ends_at: created.ends_at, message: 'first' },
			{ customer: created.customer },
			{ status: 'confirmed', cancel_reason: null },
			{ cancel_reason: 'ill' },
			{ status: 'cancelled', cancel_reason: 'well', ...moved },
			{},
		]);
	});

	test('B4: When changes come together, then each has its own, and what came before is the event before', async () => {
		const client = newAccount();
		const booking = await book(client, await slotOn(client), newCustomer());
		const texts = Array.from({ length: 20 }, (_, number) => `message ${number}`);
		await Promise.all(texts.map((message) => client.patch(`/v1/bookings/${booking.id}`, { message })));
		const events = await eventsUpTo(client, 21);
		const told = events.slice(1).map(({ previous }) => previous);
		expect(told).toEqual(events.slice(0, -1).map(({ data }) => ({ message: data.message })));
	});

	test('B4: When a service is deleted, then the events of its bookings have none', async () => {
		const client = newAccount();
		const place = await slotOn(client);
		await book(client, place, newCustomer());
		(await client.delete(`/v1/services/${place.service.id}`)).mustBe(200);
		expect((await eventsUpTo(client, 2)).map(({ previous }) => previous)).toEqual([{}, {}]);
	});
});
