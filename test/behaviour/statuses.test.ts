import { describe, expect, test } from '@jest/globals';
import type { Booking, BookingStatus } from '../../shared/contract/schemas/booking.ts';
import { expectError, expectRefusal } from '../support/expectations.ts';
import type { Client } from '../support/http-client.ts';
import { book, getBooking, newCustomer, slotOn, tryToBook } from '../support/scheduling.ts';
import { newAccount } from '../support/shared-product.ts';

const STATUSES: BookingStatus[] = ['pending', 'confirmed', 'cancelled'];

function change(client: Client, id: number, body: Record<string, unknown>) {
	return client.patch<Booking>(`/v1/bookings/${id}`, body);
}

async function setStatus(client: Client, id: number, status: BookingStatus): Promise<Booking> {
	const reason = status === 'cancelled' ? { cancel_reason: 'Ill' } : {};
	return (await change(client, id, { status, ...reason })).mustBe(200);
}

async function bookingThatIs(client: Client, status: BookingStatus): Promise<Booking> {
	const booking = await book(client, await slotOn(client), newCustomer());
	return status === 'pending' ? booking : setStatus(client, booking.id, status);
}

describe('Moves between statuses (contract §4)', () => {
	const moves = STATUSES.flatMap((from) => STATUSES.map((to) => [from, to] as const));
	test.each(moves)('When a %s booking becomes %s, then it does', async (from, to) => {
		const client = newAccount();
		const before = await bookingThatIs(client, from);
		const after = await setStatus(client, before.id, to);
		expect(after.status).toBe(to);
		expect(after.version).toBe(from === to ? before.version : before.version + 1);
		if (to === 'cancelled') expect(after.cancel_reason).toBe('Ill');
		else expect(after).not.toHaveProperty('cancel_reason');
		expect(await getBooking(client, before.id)).toEqual(after);
	});

	test.each(['done', 'PENDING', '', 'canceled', 1, true, []])(
		'When the status is %p, then it is 400 and named',
		async (status) => {
			const client = newAccount();
			const booking = await bookingThatIs(client, 'pending');
			expectRefusal(await change(client, booking.id, { status }), 400, 'status');
		},
	);
});

describe('Cancelling', () => {
	test('When no reason is given, then it is 400 `cancel_reason is required`', async () => {
		const client = newAccount();
		const booking = await bookingThatIs(client, 'confirmed');
		expectError(await change(client, booking.id, { status: 'cancelled' }), 400, 'cancel_reason is required');
		expectError(
			await change(client, booking.id, { status: 'cancelled', cancel_reason: null }),
			400,
			'cancel_reason is required',
		);
		expect(await getBooking(client, booking.id)).toEqual(booking);
	});

	test('When a cancelled booking is cancelled again with its reason or another one, then the reason is the last one', async () => {
		const client = newAccount();
		const booking = await bookingThatIs(client, 'cancelled');
		const same = (await change(client, booking.id, { status: 'cancelled', cancel_reason: 'Ill' })).mustBe(200);
		expect(same).toEqual(booking);
		const other = (await change(client, booking.id, { status: 'cancelled', cancel_reason: 'Away' })).mustBe(200);
		expect(other).toMatchObject({ cancel_reason: 'Away', version: booking.version + 1 });
	});

	test('When a reason comes beside another status, then it is ignored', async () => {
		const client = newAccount();
		const booking = await bookingThatIs(client, 'pending');
		const after = (await change(client, booking.id, { status: 'confirmed', cancel_reason: 'Not this' })).mustBe(200);
		expect(after).not.toHaveProperty('cancel_reason');
		const again = await change(client, booking.id, { status: 'confirmed', cancel_reason: 'Nor this' });
		expect(again.mustBe(200)).toEqual(after);
		expect((await change(client, booking.id, { status: 'confirmed', cancel_reason: null })).mustBe(200)).toEqual(after);
	});

	test('When a reason comes alone, then it changes a cancelled booking’s, and is 400 on any other', async () => {
		const client = newAccount();
		const cancelled = await bookingThatIs(client, 'cancelled');
		const after = (await change(client, cancelled.id, { cancel_reason: 'Other' })).mustBe(200);
		expect(after).toMatchObject({ status: 'cancelled', cancel_reason: 'Other' });
		const pending = await bookingThatIs(client, 'pending');
		expectRefusal(await change(client, pending.id, { cancel_reason: 'Other' }), 400, 'cancel_reason');
	});

	test('When a booking leaves `cancelled`, then it takes a place again and drops its reason', async () => {
		const client = newAccount();
		const place = await slotOn(client);
		const booking = await book(client, place);
		await setStatus(client, booking.id, 'cancelled');
		expect(await setStatus(client, booking.id, 'confirmed')).not.toHaveProperty('cancel_reason');
		expectError(await tryToBook(client, place), 400, 'time slot is full');
	});

	test('When the place is taken meanwhile, then leaving `cancelled` is `time slot is full`, and nothing is changed', async () => {
		const client = newAccount();
		const place = await slotOn(client);
		const booking = await book(client, place, newCustomer());
		const cancelled = await setStatus(client, booking.id, 'cancelled');
		await book(client, place, newCustomer());
		expectError(await change(client, booking.id, { status: 'pending' }), 400, 'time slot is full');
		expect(await getBooking(client, booking.id)).toEqual(cancelled);
	});

	test('When the customer has booked again meanwhile, then leaving `cancelled` is `duplicate booking`', async () => {
		const client = newAccount();
		const place = await slotOn(client);
		const customer = newCustomer();
		const booking = await book(client, place, customer);
		await setStatus(client, booking.id, 'cancelled');
		await book(client, place, customer);
		expectError(await change(client, booking.id, { status: 'pending' }), 400, 'duplicate booking');
	});

	test('When many cancelled bookings want one place back at once, then one gets it', async () => {
		const client = newAccount();
		const place = await slotOn(client);
		const ids: number[] = [];
		for (let number = 0; number < 10; number++) {
			const { id } = await book(client, place, newCustomer());
			await setStatus(client, id, 'cancelled');
			ids.push(id);
		}
		const answers = await Promise.all(ids.map((id) => change(client, id, { status: 'confirmed' })));
		expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1);
		for (const answer of answers.filter(({ status }) => status !== 200)) expectError(answer, 400, 'time slot is full');
	});
});

describe('Changes that change nothing', () => {
	test('When a PATCH changes nothing, then it is 200 and version and updated_at stay', async () => {
		const client = newAccount();
		const booking = await book(client, await slotOn(client), { message: 'x' });
		for (const body of [{}, { status: 'pending' }, { message: 'x' }, { date: booking.date }, { version: 1 }]) {
			const answer = await change(client, booking.id, body);
			expect(answer.mustBe(200)).toEqual(booking);
			expect(answer.headers.etag).toBe('"1"');
		}
	});
});

describe('Deleting a booking', () => {
	test('When a booking is deleted, then it is 200 `ok` and gone with its customer', async () => {
		const client = newAccount();
		const booking = await bookingThatIs(client, 'confirmed');
		const answer = await client.delete(`/v1/bookings/${booking.id}`);
		expect([answer.status, answer.text]).toEqual([200, '{"data":"ok"}']);
		expectError(await client.get(`/v1/bookings/${booking.id}`), 404, 'booking not found');
		expectError(await client.get(`/v1/bookings/${booking.id}/customer`), 404, 'booking not found');
		expectError(await client.delete(`/v1/bookings/${booking.id}`), 404, 'booking not found');
		const list = await client.get<{ bookings: Booking[] }>(
			`/v1/bookings?service_id=${booking.service_id}&page=1&page_size=5`,
		);
		expect(list.mustBe(200).bookings).toEqual([]);
	});
});
