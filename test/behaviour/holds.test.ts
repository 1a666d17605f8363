import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Availability, AvailabilityEntry } from '../../shared/contract/schemas/availability.ts';
import type { Booking } from '../../shared/contract/schemas/booking.ts';
import type { BookingEvent } from '../../shared/contract/schemas/event.ts';
import { bound } from '../support/bound.ts';
import { plusDays } from '../support/calendar.ts';
import { expectError, expectRefusal } from '../support/expectations.ts';
import { eventsOf } from '../support/feed.ts';
import type { Answer, Client } from '../support/http-client.ts';
import { book, getBooking, newCustomer, slotOn, tryToBook } from '../support/scheduling.ts';
import { newAccount } from '../support/shared-product.ts';
import { until } from '../support/until.ts';

const MINUTE = 60_000;

const change = (client: Client, { id }: Booking, body: object) => client.patch<Booking>(`/v1/bookings/${id}`, body);

/** ms from the last change of a booking to the end of its hold */
const heldFor = ({ expires_at, updated_at }: Booking) => Date.parse(expires_at!) - Date.parse(updated_at);

async function eventsOfBooking(client: Client, { id }: Booking): Promise<BookingEvent[]> {
	return (await eventsOf(client)).filter(({ data }) => data.id === id);
}

describe('B6: A booking that is held for a while', () => {
	test('B6: When it is made with hold_minutes, then it is pending and says when it expires; others have null', async () => {
		const client = newAccount();
		const place = await slotOn(client, { max_bookings: 4 });
		for (const hold_minutes of [1, 10_080]) {
			const booking = await book(client, place, { hold_minutes });
			expect(booking.status).toBe('pending');
			expect(heldFor(booking)).toBe(hold_minutes * MINUTE);
			expect(await getBooking(client, booking.id)).toEqual(booking);
		}
		expect((await book(client, place)).expires_at).toBeNull();
		expect((await book(client, place, { hold_minutes: null })).expires_at).toBeNull();
	});

	test.each([0, 10_081, -1, 1.5, '5', true, [5]])(
		'B6: When hold_minutes is %p, then it is 400 and named, by creation and PATCH, and nothing changes',
		async (hold_minutes) => {
			const client = newAccount();
			const place = await slotOn(client, { max_bookings: 2 });
			const booking = await book(client, place);
			expectRefusal(await tryToBook(client, place, { hold_minutes }), 400, 'hold_minutes');
			expectRefusal(await change(client, booking, { hold_minutes }), 400, 'hold_minutes');
			expect(await getBooking(client, booking.id)).toEqual(booking);
		},
	);

	test('B6: When a PATCH sets it anew, takes it off, or sets it later, then expires_at follows, and events say what was', async () => {
		const client = newAccount();
		const booking = await book(client, await slotOn(client), { hold_minutes: 5 });
		const renewed = (await change(client, booking, { hold_minutes: 90 })).mustBe(200);
		expect(heldFor(renewed)).toBe(90 * MINUTE);
		expect(renewed.version).toBe(2);
		const free = (await change(client, booking, { hold_minutes: null })).mustBe(200);
		expect(free).toMatchObject({ status: 'pending', expires_at: null, version: 3 });
		expect((await change(client, booking, { hold_minutes: null })).mustBe(200)).toEqual(free);
		const again = (await change(client, booking, { hold_minutes: 2 })).mustBe(200);
		expect(heldFor(again)).toBe(2 * MINUTE);
		const events = await until(async () => {
			const told = await eventsOfBooking(client, booking);
			return told.length === 4 && told;
		});
		expect(events.map(({ type }) => type).slice(1)).toEqual(Array(3).fill('booking.updated'));
		expect(events.map(({ previous }) => previous.expires_at)).toEqual([
			undefined,
			booking.expires_at,
			renewed.expires_at,
			null,
		]);
	});

	test('B6: When it is confirmed or cancelled, then its hold is off, and may not be set there: 400, nothing changed', async () => {
		const client = newAccount();
		const place = await slotOn(client, { max_bookings: 2 });
		const bodies = [{ status: 'confirmed' }, { status: 'cancelled', cancel_reason: 'ill' }];
		for (const body of bodies) {
			const booking = await book(client, place, { hold_minutes: 5 });
			const after = (await change(client, booking, body)).mustBe(200);
			expect(after).toMatchObject({ status: body.status, expires_at: null, version: 2 });
			const refused = await change(client, booking, { hold_minutes: 5, message: 'x' });
			expectRefusal(refused, 400, 'hold_minutes: only a pending booking has one');
			expectRefusal(await change(client, booking, { ...body, hold_minutes: 5 }), 400, 'hold_minutes');
			expect((await change(client, booking, { hold_minutes: null })).mustBe(200)).toEqual(after);
			const back = (await change(client, booking, { status: 'pending' })).mustBe(200);
			expect(back).toMatchObject({ status: 'pending', expires_at: null });
			const held = (await change(client, booking, { hold_minutes: 7 })).mustBe(200);
			expect(heldFor(held)).toBe(7 * MINUTE);
		}
	});

	test('B6: When it comes back from cancelled with hold_minutes, then it is held', async () => {
		const client = newAccount();
		const booking = await book(client, await slotOn(client));
		(await change(client, booking, { status: 'cancelled', cancel_reason: 'ill' })).mustBe(200);
		const held = (await change(client, booking, { status: 'pending', hold_minutes: 3 })).mustBe(200);
		expect(held.status).toBe('pending');
		expect(heldFor(held)).toBeLessThanOrEqual(3 * MINUTE); // from when it was asked for; the claim took a moment
		expect(heldFor(held)).toBeGreaterThan(2 * MINUTE);
	});

	test('B6: When it moves or is sent back as it was read, then it keeps expires_at; another one is refused', async () => {
		const client = newAccount();
		const place = await slotOn(client);
		const booking = await book(client, place, { hold_minutes: 5 });
		const { expires_at } = booking;
		const moved = (await change(client, booking, { date: plusDays(place.date, 7) })).mustBe(200);
		expect(moved).toMatchObject({ expires_at, version: 2 });
		expect((await change(client, booking, moved)).mustBe(200)).toEqual(moved);
		const other = new Date(Date.parse(expires_at!) + MINUTE).toISOString();
		expectRefusal(await change(client, booking, { expires_at: other }), 400, 'expires_at');
		expectRefusal(await change(client, booking, { expires_at: null }), 400, 'expires_at');
		const confirmed = (await change(client, booking, { ...moved, status: 'confirmed' })).mustBe(200);
		expect(confirmed).toMatchObject({ status: 'confirmed', expires_at: null });
	});

	test('B6: When its creation is repeated under its Idempotency-Key, then the first answer comes, whatever became of it', async () => {
		const client = newAccount();
		const place = await slotOn(client);
		const key = { headers: { 'Idempotency-Key': 'held' } };
		const first = (await tryToBook(client, place, { hold_minutes: 5 }, key)).mustBe(201);
		(await change(client, first, { status: 'confirmed' })).mustBe(200);
		expect((await tryToBook(client, place, { hold_minutes: 5 }, key)).mustBe(201)).toEqual(first);
		expectRefusal(await tryToBook(client, place, { hold_minutes: 6 }, key), 422);
	});
});

/** What is seen of a full occurrence in the moment in which its one hold ends. */
interface Story {
	client: Client;
	place: Awaited<ReturnType<typeof slotOn>>;
	customer: ReturnType<typeof newCustomer>;
	held: Booking;
}

async function begin(): Promise<Story> {
	const client = newAccount();
	const place = await slotOn(client);
	const customer = newCustomer();
	return { client, place, customer, held: await book(client, place, { ...customer, hold_minutes: 1 }) };
}

/** Looks each millisecond only where it is about to end: a dozen that did so for a minute would keep a processor busy. */
async function end({ held }: Story, after = 0): Promise<void> {
	const moment = Date.parse(held.expires_at!) + after;
	await delay(Math.max(0, moment - 50 - Date.now()));
	await until(() => Date.now() > moment, { interval: 1 });
}

async function availability({ client, place }: Story): Promise<AvailabilityEntry> {
	const query = { from: place.date, to: place.date };
	const path = `/v1/services/${place.service.id}/availability`;
	return (await client.get<Availability>(path, { query })).mustBe(200).availability[0]!;
}

/** All of them wait for the same minute, so they run at once; each test looks at one. */
describe('B6: When its minute is over', () => {
	let told: Awaited<ReturnType<typeof tell>>;
	beforeAll(async () => {
		told = await tell();
	});

	test('then it is cancelled within a second, with one event, and keeps expires_at', async () => {
		const { client, held } = told.swept;
		const expired = { status: 'cancelled', cancel_reason: 'expired', expires_at: held.expires_at, version: 2 };
		expect(told.sweptBooking).toMatchObject(expired);
		const late = Date.parse(told.sweptBooking.updated_at) - Date.parse(held.expires_at!);
		expect(late).toBeGreaterThanOrEqual(0);
		expect(late).toBeLessThan(bound(1_000));
		const events = await until(async () => {
			const found = await eventsOfBooking(client, held);
			return found.length > 1 && found;
		});
		expect(events.map(({ type }) => type)).toEqual(['booking.created', 'booking.cancelled']);
		expect(events[1]!.previous).toEqual({ status: 'pending', cancel_reason: null });
		expect(events[1]!.data).toEqual(told.sweptBooking);
	});

	test('then it cannot be confirmed any more: 400 hold expired, at once and later, and nothing changes', async () => {
		expectError(told.confirmedAtOnce, 400, 'hold expired');
		expect(told.confirmedAtOnce.body.code).toBe('hold_expired');
		const { client } = told.swept;
		expectError(await change(client, told.sweptBooking, { status: 'confirmed' }), 400, 'hold expired');
		const held = await change(client, told.sweptBooking, { hold_minutes: 5 });
		expectRefusal(held, 400, 'hold_minutes: only a pending booking has one');
		expect(await getBooking(client, told.sweptBooking.id)).toEqual(told.sweptBooking);
	});

	test('then pending claims a place anew, without a hold', async () => {
		const { client } = told.swept;
		const back = (await change(client, told.sweptBooking, { status: 'pending' })).mustBe(200);
		expect(back).toMatchObject({ status: 'pending', expires_at: null, version: 3 });
		expect(back).not.toHaveProperty('cancel_reason');
		expect((await change(client, back, { status: 'confirmed' })).mustBe(200).status).toBe('confirmed');
	});

	test('then its place is for whoever asks at that moment, and it does not come back', async () => {
		const { client, held } = told.taken;
		expect(told.takenAtOnce.status).toBe(201);
		const after = await getBooking(client, held.id);
		expect(after).toMatchObject({ status: 'cancelled', cancel_reason: 'expired', expires_at: held.expires_at });
		expectError(await change(client, held, { status: 'pending' }), 400, 'time slot is full');
	});

	test('then availability says so at that moment', () => {
		expect(told.before).toMatchObject({ booked: 1, remaining: 0, bookable: false, reason: 'full' });
		expect(told.atOnce).toMatchObject({ booked: 0, remaining: 1, bookable: true, reason: null });
	});

	test('then its customer is no duplicate of it', () => {
		expect(told.sameCustomer.status).toBe(201);
		expect(told.sameAddress.status).toBe(200);
	});

	test('then who was confirmed, set anew or taken off before stays', async () => {
		const { client, held } = told.confirmed;
		expect(await getBooking(client, held.id)).toMatchObject({ status: 'confirmed', version: 2 });
		expectError(told.besideConfirmed, 400, 'time slot is full');
		for (const { client: its, held: kept } of [told.renewed, told.free]) {
			expect(await getBooking(its, kept.id)).toMatchObject({ status: 'pending', version: 2 });
		}
	});

	test('then a change of it finds it cancelled, and a version from before is stale', async () => {
		const { client, held } = told.changed;
		expect(told.stale.status).toBe(409);
		expect(told.noted.mustBe(200)).toMatchObject({ status: 'cancelled', message: 'too late', version: 3 });
		expect(await getBooking(client, held.id)).toMatchObject({ cancel_reason: 'expired', version: 3 });
	});

	async function tell() {
		const swept = await begin();
		const [late, taken, seen, same, address] = await Promise.all([begin(), begin(), begin(), begin(), begin()]);
		const [confirmed, renewed, free, changed] = await Promise.all([begin(), begin(), begin(), begin()]);
		(await change(confirmed.client, confirmed.held, { status: 'confirmed' })).mustBe(200);
		(await change(renewed.client, renewed.held, { hold_minutes: 30 })).mustBe(200);
		(await change(free.client, free.held, { hold_minutes: null })).mustBe(200);
		const before = await availability(seen);
		const stories = {
			sweptBooking: end(swept, -500).then(() => cancelled(swept)),
			confirmedAtOnce: end(late).then(() => change(late.client, late.held, { status: 'confirmed' })),
			takenAtOnce: end(taken).then(() => tryToBook(taken.client, taken.place)),
			atOnce: end(seen).then(() => availability(seen)),
			sameCustomer: end(same).then(() => tryToBook(same.client, same.place, same.customer)),
			sameAddress: atAddress(address),
			besideConfirmed: end(confirmed).then(() => tryToBook(confirmed.client, confirmed.place)),
			stale: end(changed).then(() => change(changed.client, changed.held, { message: 'no', version: 1 })),
		};
		const names = Object.keys(stories) as (keyof typeof stories)[];
		await Promise.all([...names.map((name) => stories[name]), end(renewed, 1_500), end(free, 1_500)]);
		const noted = await change(changed.client, changed.held, { message: 'too late' });
		return {
			swept,
			taken,
			confirmed,
			renewed,
			free,
			changed,
			before,
			noted,
			sweptBooking: await stories.sweptBooking,
			confirmedAtOnce: await stories.confirmedAtOnce,
			takenAtOnce: await stories.takenAtOnce,
			atOnce: await stories.atOnce,
			sameCustomer: await stories.sameCustomer,
			sameAddress: await stories.sameAddress,
			besideConfirmed: await stories.besideConfirmed,
			stale: await stories.stale,
		};
	}

	function cancelled({ client, held }: Story): Promise<Booking> {
		return until(async () => {
			const booking = await getBooking(client, held.id);
			return booking.status === 'cancelled' && booking;
		});
	}

	/** Another booking of the same slot and date gets the address of the one that is held. */
	async function atAddress({ client, place, held, customer }: Story): Promise<Answer> {
		const path = `/v1/time-slots`;
		(await client.patch(path, { time_slots: [{ id: place.slot.id, max_bookings: 2 }] })).mustBe(200);
		const other = await book(client, place);
		await end({ client, place, held, customer });
		return client.patch(`/v1/bookings/${other.id}/customer`, { email: customer.customer_email });
	}
});
