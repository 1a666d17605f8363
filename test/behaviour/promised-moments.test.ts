import { describe, expect, test } from '@jest/globals';
import type { AvailabilityEntry } from '../../shared/contract/schemas/availability.ts';
import type { Booking } from '../../shared/contract/schemas/booking.ts';
import { plusDays } from '../support/calendar.ts';
import { eventsUpTo } from '../support/feed.ts';
import type { Client } from '../support/http-client.ts';
import { book, getBooking, newCustomer, slotOn } from '../support/scheduling.ts';
import { newAccount } from '../support/shared-product.ts';

/** The slot now begins at ten, in New York. */
async function changeSchedule(client: Client, { service, slot }: Awaited<ReturnType<typeof slotOn>>): Promise<void> {
	const time_slots = [{ id: slot.id, start_time: '2026-01-05 10:00:00', end_time: '2026-01-05 10:30:00' }];
	(await client.patch('/v1/time-slots', { time_slots })).mustBe(200);
	(await client.patch(`/v1/services/${service.id}`, { timezone: 'America/New_York' })).mustBe(200);
}

/** What the slot promises on a date now. */
async function promise(client: Client, service_id: number, date: string) {
	const path = `/v1/services/${service_id}/availability?from=${date}&to=${date}`;
	const { availability } = (await client.get<{ availability: AvailabilityEntry[] }>(path)).mustBe(200);
	const { starts_at, ends_at } = availability[0]!;
	return { starts_at, ends_at };
}

describe('B1: A booking says when it is', () => {
	test('B1: When a booking is made, then it has the moments that availability told, and the zone of its service', async () => {
		const client = newAccount();
		const place = await slotOn(client, { timezone: 'Asia/Kathmandu' });
		const told = await promise(client, place.service.id, place.date);
		const booking = await book(client, place, newCustomer());
		expect(told.starts_at).toBe(`${place.date}T09:00:00+05:45`);
		expect(booking).toMatchObject({ ...told, timezone: 'Asia/Kathmandu', time_slot: place.slot });
	});

	test('B1: When slot and time zone change, then what was promised stays, wherever the booking is shown, and a 304 is true', async () => {
		const client = newAccount();
		const place = await slotOn(client);
		const booking = await book(client, place, newCustomer());
		await changeSchedule(client, place);
		expect(await getBooking(client, booking.id)).toEqual(booking);
		const query = { service_id: place.service.id, page: 1, page_size: 10 };
		const { bookings } = (await client.get<{ bookings: Booking[] }>('/v1/bookings', { query })).mustBe(200);
		expect(bookings).toEqual([booking]);
		const again = await client.get(`/v1/bookings/${booking.id}`, { headers: { 'if-none-match': '"1"' } });
		expect(again.status).toBe(304);
		const confirmed = (await client.patch<Booking>(`/v1/bookings/${booking.id}`, { status: 'confirmed' })).mustBe(200);
		const { updated_at } = confirmed;
		expect(confirmed).toEqual({ ...booking, status: 'confirmed', version: 2, updated_at });
		const events = await eventsUpTo(client, 2);
		expect(events.map(({ data }) => data)).toEqual([booking, confirmed]);
	});

	test('B1: When it takes a place anew, by a move or from `cancelled`, then it is promised what holds now', async () => {
		const client = newAccount();
		const place = await slotOn(client, { max_bookings: 9 });
		const [moved, back, away] = [
			await book(client, place, newCustomer()),
			await book(client, place, newCustomer()),
			await book(client, place, newCustomer()),
		];
		const change = async (id: number, body: object) =>
			(await client.patch<Booking>(`/v1/bookings/${id}`, body)).mustBe(200);
		const cancel = { status: 'cancelled', cancel_reason: 'x' };
		await change(back.id, cancel);
		await change(away.id, cancel);
		await changeSchedule(client, place);
		const date = plusDays(place.date, 7);
		const [here, there] = [
			await promise(client, place.service.id, place.date),
			await promise(client, place.service.id, date),
		];
		expect(here.starts_at).toMatch(/T10:00:00-0[45]:00$/);
		const now = { timezone: 'America/New_York', time_slot: { start_time: '2026-01-05 10:00:00' } };
		expect(await change(moved.id, { date })).toMatchObject({ date, ...there, ...now });
		expect(await change(back.id, { status: 'pending' })).toMatchObject({ date: place.date, ...here, ...now });
		expect(await change(away.id, { date })).toMatchObject({ status: 'cancelled', date, ...there, ...now });
	});

	test('B1: When its service is deleted, then the event tells what was promised', async () => {
		const client = newAccount();
		const place = await slotOn(client);
		const booking = await book(client, place, newCustomer());
		await changeSchedule(client, place);
		(await client.delete(`/v1/services/${place.service.id}`)).mustBe(200);
		const deleted = (await eventsUpTo(client, 2))[1]!;
		expect(deleted).toMatchObject({
			type: 'booking.deleted',
			data: { ...booking, version: 2, updated_at: deleted.timestamp },
		});
		expect((await client.get(`/v1/bookings/${booking.id}`)).status).toBe(404);
	});
});
