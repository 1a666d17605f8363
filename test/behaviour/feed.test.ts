import { describe, expect, test } from '@jest/globals';
import type { Booking } from '../../shared/contract/schemas/booking.ts';
import type { BookingEventList } from '../../shared/contract/schemas/event.ts';
import { bound } from '../support/bound.ts';
import { plusDays } from '../support/calendar.ts';
import { expectError, expectRefusal } from '../support/expectations.ts';
import { eventsOf, eventsUpTo } from '../support/feed.ts';
import type { Client } from '../support/http-client.ts';
import { book, newCustomer, slotOn, tryToBook } from '../support/scheduling.ts';
import { newAccount } from '../support/shared-product.ts';

async function feed(client: Client, query: Record<string, string | number>): Promise<BookingEventList> {
	return (await client.get<BookingEventList>('/v1/events', { query })).mustBe(200);
}

/** Books and changes once in every way. @returns what the API answered to each change */
async function everyChange(client: Client): Promise<[string, Booking][]> {
	const place = await slotOn(client, { max_bookings: 5 });
	const created = await book(client, place, { ...newCustomer(), message: 'Hi' });
	const path = `/v1/bookings/${created.id}`;
	const patch = async (body: object) => (await client.patch<Booking>(path, body)).mustBe(200);
	const changes: [string, Booking][] = [
		['booking.created', created],
		['booking.confirmed', await patch({ status: 'confirmed' })],
		['booking.updated', await patch({ message: 'Changed' })],
		['booking.updated', await patch({ date: plusDays(place.date, 7) })],
		['booking.cancelled', await patch({ status: 'cancelled', cancel_reason: 'Ill' })],
		['booking.updated', await patch({ cancel_reason: 'Away' })],
		['booking.updated', await patch({ status: 'pending' })],
		['booking.confirmed', await patch({ status: 'confirmed', message: 'And more' })],
	];
	(await client.patch(`${path}/customer`, { name: 'Grace' })).mustBe(200);
	changes.push(['booking.updated', (await client.get<Booking>(path)).mustBe(200)]);
	return changes;
}

describe('GET /v1/events (contract §8)', () => {
	test('When a booking is changed in every way, then each change is one event with the data that was answered', async () => {
		const client = newAccount();
		const changes = await everyChange(client);
		const last = changes.at(-1)![1];
		(await client.delete(`/v1/bookings/${last.id}`)).mustBe(200);
		const events = await eventsUpTo(client, changes.length + 1);
		expect(events.map((event) => event.type)).toEqual([...changes.map(([type]) => type), 'booking.deleted']);
		for (const [index, [, booking]] of changes.entries()) {
			const event = events[index]!;
			expect(JSON.stringify(event.data)).toBe(JSON.stringify(booking));
			expect(event.id).toBe(`evt_${booking.id}_${booking.version}`);
			expect(event.timestamp).toBe(booking.updated_at);
			expect(Object.keys(event).sort()).toEqual(['data', 'id', 'previous', 'sequence', 'timestamp', 'type']);
		}
		const removed = events.at(-1)!;
		expect(removed.id).toBe(`evt_${last.id}_${last.version + 1}`);
		expect(removed.data).toEqual({ ...last, version: last.version + 1, updated_at: removed.timestamp });
	});

	test('When events are read, then their sequence starts at 1 and has no gap', async () => {
		const client = newAccount();
		const changes = await everyChange(client);
		const events = await eventsUpTo(client, changes.length);
		expect(events.map((event) => event.sequence)).toEqual(events.map((_, index) => index + 1));
	});

	test('When 200 bookings are made at once, then the sequence has no gap and no booking is missing', async () => {
		const client = newAccount();
		const place = await slotOn(client, { max_bookings: 200 });
		const bookings = await Promise.all(Array.from({ length: 200 }, () => book(client, place)));
		const events = await eventsUpTo(client, 200);
		expect(events.map((event) => event.sequence)).toEqual(events.map((_, index) => index + 1));
		const ids = bookings.map((booking) => booking.id);
		expect(events.map((event) => event.data.id).sort((a, b) => a - b)).toEqual(ids.sort((a, b) => a - b));
	});

	test('When a change is refused or changes nothing, then there is no event', async () => {
		const client = newAccount();
		const place = await slotOn(client);
		const booking = await book(client, place, newCustomer());
		expect((await tryToBook(client, place)).status).toBe(400);
		expect((await client.patch(`/v1/bookings/${booking.id}`, { status: 'cancelled' })).status).toBe(400);
		expect((await client.patch(`/v1/bookings/${booking.id}`, { status: 'pending' })).status).toBe(200);
		(await client.patch(`/v1/bookings/${booking.id}`, { message: 'last' })).mustBe(200);
		const events = await eventsUpTo(client, 2);
		expect(events.map((event) => event.type)).toEqual(['booking.created', 'booking.updated']);
	});

	test('When the slot changes later, then an event keeps it as it was promised', async () => {
		const client = newAccount();
		const place = await slotOn(client);
		const booking = await book(client, place);
		(await client.patch('/v1/time-slots', { time_slots: [{ id: place.slot.id, max_bookings: 9 }] })).mustBe(200);
		for (const date of [place.date, plusDays(place.date, 7)]) {
			(await client.patch(`/v1/bookings/${booking.id}`, { message: date, date })).mustBe(200);
		}
		const events = await eventsUpTo(client, 3);
		expect(events.map((event) => event.data.time_slot.max_bookings)).toEqual([1, 1, 9]);
	});

	test('When an event happens, then it is in the feed within a second', async () => {
		const client = newAccount();
		const place = await slotOn(client, { max_bookings: 5 });
		const delays: number[] = [];
		for (let events = 1; events <= 5; events++) {
			await book(client, place);
			const started = performance.now();
			await eventsUpTo(client, events);
			delays.push(performance.now() - started);
		}
		// What nobody delivers by itself is left for a second before the sweep takes it.
		expect(Math.min(...delays)).toBeLessThan(800);
		expect(Math.max(...delays)).toBeLessThan(bound(1_000));
	});
});

describe('Reading the feed', () => {
	test('When after and limit are given, then the next ones come, and has_more says whether there are more', async () => {
		const client = newAccount();
		const place = await slotOn(client, { max_bookings: 5 });
		for (let number = 0; number < 5; number++) await book(client, place);
		await eventsUpTo(client, 5);
		const sequences = async (query: Record<string, number>) => {
			const { events, has_more } = await feed(client, query);
			return [events.map((event) => event.sequence), has_more];
		};
		expect(await sequences({})).toEqual([[1, 2, 3, 4, 5], false]);
		expect(await sequences({ after: 0 })).toEqual([[1, 2, 3, 4, 5], false]);
		expect(await sequences({ limit: 2 })).toEqual([[1, 2], true]);
		expect(await sequences({ after: 2, limit: 2 })).toEqual([[3, 4], true]);
		expect(await sequences({ after: 3, limit: 2 })).toEqual([[4, 5], false]);
		expect(await sequences({ after: 5 })).toEqual([[], false]);
	});

	test('X20: When no event is of the types that are asked for, then `next_after` moves on, with and without `wait`', async () => {
		const client = newAccount();
		const place = await slotOn(client, { max_bookings: 5 });
		for (let number = 0; number < 3; number++) await book(client, place);
		await eventsUpTo(client, 3);
		const types = 'booking.deleted';
		expect(await feed(client, { types })).toEqual({ events: [], has_more: false, next_after: 3 });
		expect(await feed(client, { types, wait: 1 })).toEqual({ events: [], has_more: false, next_after: 3 });
		const waiting = feed(client, { types, wait: 2, after: 3 });
		await book(client, place);
		await eventsUpTo(client, 4);
		expect(await waiting).toEqual({ events: [], has_more: false, next_after: 4 });
		expect(await feed(client, { limit: 2 })).toMatchObject({ has_more: true, next_after: 2 });
		expect(await feed(client, { limit: 2, types: 'booking.created' })).toMatchObject({ next_after: 2 });
		expect(await feed(client, { after: 2 })).toMatchObject({ has_more: false, next_after: 4 });
	});

	test('When an account has no events, then the feed is empty', async () => {
		expect(await feed(newAccount(), {})).toEqual({ events: [], has_more: false, next_after: 0 });
	});

	test('When types are given, then only those come, with the sequence that they have', async () => {
		const client = newAccount();
		const changes = await everyChange(client);
		const all = await eventsUpTo(client, changes.length);
		for (const types of ['booking.cancelled', 'booking.created,booking.confirmed']) {
			const { events } = await feed(client, { types });
			expect(events).toEqual(all.filter((event) => types.split(',').includes(event.type)));
		}
		const { events } = await feed(client, { types: 'booking.confirmed', after: 2 });
		expect(events).toEqual(all.filter((event) => event.type === 'booking.confirmed' && event.sequence > 2));
	});

	test('When wait is given and nothing is there, then the answer comes with the next event', async () => {
		const client = newAccount();
		const place = await slotOn(client);
		const waiting = feed(client, { after: 0, wait: 20 });
		const booking = await book(client, place);
		const { events } = await waiting;
		expect(events.map((event) => event.data.id)).toEqual([booking.id]);
	});

	test('When wait is given and something is there, then the answer comes at once', async () => {
		const client = newAccount();
		await book(client, await slotOn(client));
		await eventsUpTo(client, 1);
		const started = performance.now();
		expect((await feed(client, { wait: 30 })).events).toHaveLength(1);
		expect(performance.now() - started).toBeLessThan(bound(5_000, 20_000));
	});

	test('W7: When `after` is beyond the end of the feed, then it is 410 at once, and says what to do', async () => {
		const client = newAccount();
		const place = await slotOn(client, { max_bookings: 5 });
		const refused = async (end: number, query: { after: number } & Record<string, string | number>) => {
			const answer = await client.get('/v1/events', { query });
			const was = `so ${query.after} was given out before an older backup was restored, or is of another feed`;
			expectError(
				answer,
				410,
				`after: the feed ends with ${end}, ${was}: read the bookings anew, then go on with after=0`,
			);
			expect(answer.body.code).toBe('events_expired');
		};
		await refused(0, { after: 1 });
		for (let number = 0; number < 3; number++) await book(client, place);
		const [first] = await eventsUpTo(client, 3);
		for (const after of [4, Number.MAX_SAFE_INTEGER]) {
			await refused(3, { after });
			await refused(3, { after, wait: 30 });
			await refused(3, { after, types: 'booking.deleted' });
			await refused(3, { after, booking_id: first!.data.id, limit: 1 });
		}
		expect(await feed(client, { after: 3 })).toEqual({ events: [], has_more: false, next_after: 3 });
		(await client.delete(`/v1/bookings/${first!.data.id}`)).mustBe(200);
		await eventsUpTo(client, 4);
		expect(await feed(client, { after: 4, wait: 1 })).toEqual({ events: [], has_more: false, next_after: 4 });
		await refused(4, { after: 5 });
		expect((await feed(newAccount(), { after: 0, wait: 1 })).next_after).toBe(0);
	});

	test('W7: When somebody was erased, then who has read that waits for the next event, and gets it', async () => {
		const client = newAccount();
		const place = await slotOn(client, { max_bookings: 5 });
		const customer = newCustomer();
		await book(client, place, customer);
		await eventsUpTo(client, 1);
		const waiting = feed(client, { after: 1, wait: 30 });
		(await client.post('/v1/customers/erase', { email: customer.customer_email })).mustBe(202);
		expect((await waiting).events).toMatchObject([{ sequence: 2, type: 'customer.erased' }]);
		expect(await feed(client, { after: 2 })).toEqual({ events: [], has_more: false, next_after: 2 });
		expectRefusal(await client.get('/v1/events', { query: { after: 3 } }), 410, 'the feed ends with 2');
		const next = feed(client, { after: 2, wait: 30 });
		await book(client, place);
		expect((await next).events).toMatchObject([{ sequence: 3, type: 'booking.created' }]);
	});

	test('When wait runs out, then the answer is empty', async () => {
		const client = newAccount();
		expect(await feed(client, { wait: 1 })).toEqual({ events: [], has_more: false, next_after: expect.any(Number) });
		expect(await eventsOf(client)).toEqual([]);
	});

	const bad: [string, string][] = [
		['after', '-1'],
		['after', 'x'],
		['after', '1.5'],
		['limit', '0'],
		['limit', '1001'],
		['wait', '31'],
		['wait', '-1'],
		['types', 'booking.exploded'],
		['types', ''],
	];
	test.each(bad)('When %s is "%s", then it is 400 and named', async (name, value) => {
		expectRefusal(await newAccount().get('/v1/events', { query: { [name]: value } }), 400, name);
	});
});
