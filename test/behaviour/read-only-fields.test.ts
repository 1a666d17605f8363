import { describe, expect, test } from '@jest/globals';
import type { Booking } from '../../shared/contract/schemas/booking.ts';
import { plusDays } from '../support/calendar.ts';
import { expectError, expectRefusal } from '../support/expectations.ts';
import { book, getBooking, newCustomer, slotOn } from '../support/scheduling.ts';
import { newAccount } from '../support/shared-product.ts';

/** Nothing has it */
const NO_ID = 9_000_000_001;

const OTHERS: [field: keyof Booking, value: unknown][] = [
	['id', NO_ID],
	['service_id', NO_ID],
	['service_id', '3'],
	['user_id', 'acc_other'],
	['customer', { name: 'Somebody else' }],
	['customer', null],
	['customer_id', NO_ID],
	['created_at', '2026-01-01T00:00:00.000Z'],
	['updated_at', '2026-01-01T00:00:00.000Z'],
	['starts_at', '2027-01-04T11:00:00+01:00'],
	['ends_at', null],
	['timezone', 'UTC'],
	['time_slot', {}],
];

describe('B3: What a PATCH of a booking cannot set', () => {
	test.each(OTHERS)(
		'B3: When %s is sent as %j, then it is 400 that names it, and nothing is changed',
		async (field, value) => {
			const client = newAccount();
			const booking = await book(client, await slotOn(client), newCustomer());
			const answer = await client.patch(`/v1/bookings/${booking.id}`, { message: 'x', [field]: value });
			expectRefusal(answer, 400, `${field}: must be what it is, or left out`);
			expect(answer.body).toMatchObject({ faults: [{ field, code: 'read_only' }] });
			expect(await getBooking(client, booking.id)).toEqual(booking);
		},
	);

	test('B3: When a booking that was read is sent back, changed or not, then it is taken', async () => {
		const client = newAccount();
		const place = await slotOn(client);
		const booking = await book(client, place, newCustomer());
		const path = `/v1/bookings/${booking.id}`;
		expect((await client.patch<Booking>(path, booking)).mustBe(200)).toEqual(booking);
		const turned = Object.fromEntries(Object.entries(booking).reverse());
		const changes = { status: 'confirmed', message: 'x', date: plusDays(place.date, 7) };
		const changed = (await client.patch<Booking>(path, { ...turned, ...changes })).mustBe(200);
		expect(changed).toMatchObject({ ...changes, version: 2 });
		const { starts_at, ends_at } = changed;
		const again = { date: place.date, starts_at: booking.starts_at, ends_at: booking.ends_at };
		expect((await client.patch<Booking>(path, { ...changed, ...again })).mustBe(200)).toMatchObject(again);
		const stale = { ...changed, starts_at, ends_at };
		expectError(await client.patch(path, { ...stale, customer: null }), 409, 'version conflict');
	});

	test('B3: When several fields differ, then each is named, and the version is judged first', async () => {
		const client = newAccount();
		const booking = await book(client, await slotOn(client), newCustomer());
		const path = `/v1/bookings/${booking.id}`;
		const wrong = { id: NO_ID, user_id: 'x' };
		expect((await client.patch(path, wrong)).body).toMatchObject({ faults: [{ field: 'id' }, { field: 'user_id' }] });
		expectError(await client.patch(path, { ...wrong, version: 9 }), 409, 'version conflict');
		expectError(await client.patch(path, wrong, { headers: { 'if-match': '"9"' } }), 412, 'version conflict');
	});

	test('B3: When a creation has such fields, then they are ignored', async () => {
		const client = newAccount();
		const place = await slotOn(client);
		const body = { date: place.date, time_slot_id: place.slot.id, id: NO_ID, user_id: 'x', starts_at: 'y', version: 9 };
		expect((await client.post<Booking>('/v1/bookings', body)).mustBe(201)).toMatchObject({ version: 1 });
	});
});
