import { describe, expect, test } from '@jest/globals';
import type { Availability } from '../../shared/contract/schemas/availability.ts';
import { dateOn } from '../support/calendar.ts';
import { expectRefusal } from '../support/expectations.ts';
import type { Client } from '../support/http-client.ts';
import { book, createService, serviceBody, slotInput, slotOn, slotsOf, tryToBook } from '../support/scheduling.ts';
import { newAccount } from '../support/shared-product.ts';

/** Four Mondays in a row */
const MONDAYS = [0, 1, 2, 3].map((week) => dateOn(1, week));

/** The dates of these Mondays that availability lists, and those on which a booking is made. */
async function openOn(
	client: Client,
	{ service, slot }: Awaited<ReturnType<typeof slotOn>>,
): Promise<[listed: string[], booked: string[]]> {
	const query = { from: MONDAYS[0]!, to: MONDAYS.at(-1)! };
	const path = `/v1/services/${service.id}/availability`;
	const { availability } = (await client.get<Availability>(path, { query })).mustBe(200);
	const booked: string[] = [];
	for (const date of MONDAYS) if ((await tryToBook(client, { slot, date })).status === 201) booked.push(date);
	return [availability.map(({ date }) => date), booked];
}

describe('S1: from when until when a slot is valid', () => {
	test('S1: When a slot is valid from one date until another, then it is listed and booked on these and between, and on no other', async () => {
		const client = newAccount();
		const [, second, third] = MONDAYS;
		const place = await slotOn(client, { valid_from: second, valid_until: third });
		expect(place.slot).toMatchObject({ valid_from: second, valid_until: third });
		expect(await openOn(client, place)).toEqual([
			[second, third],
			[second, third],
		]);
	});

	test('S1: When the date is outside, then creation and moves say since when or until when', async () => {
		const client = newAccount();
		const [first, second, third, fourth] = MONDAYS;
		const place = await slotOn(client, { valid_from: second, valid_until: third, max_bookings: 2 });
		const from = `date: time slot ${place.slot.id} is valid from ${second}`;
		const until = `date: time slot ${place.slot.id} is valid until ${third}`;
		const booking = await book(client, { ...place, date: second! });
		for (const [date, error] of [
			[first, from],
			[fourth, until],
		]) {
			const faults = [{ field: 'date', code: 'outside_validity', message: error!.slice('date: '.length) }];
			const refusal = { error, code: 'invalid_request', faults };
			const created = await tryToBook(client, { slot: place.slot, date: date! });
			expect([created.status, created.body]).toEqual([400, refusal]);
			const moved = await client.patch(`/v1/bookings/${booking.id}`, { date });
			expect([moved.status, moved.body]).toEqual([400, refusal]);
		}
		(await client.patch(`/v1/bookings/${booking.id}`, { date: third })).mustBe(200);
	});

	test('S1: When a bulk update ends a slot, opens it again, or leaves it out, then creation and availability follow, and bookings stay', async () => {
		const client = newAccount();
		const place = await slotOn(client);
		const [first, second] = MONDAYS;
		const booking = await book(client, { ...place, date: MONDAYS[3]! });
		const change = async (fields: object) => {
			const body = { time_slots: [{ id: place.slot.id, ...fields }] };
			return (await client.patch<{ time_slots: object[] }>('/v1/time-slots', body)).mustBe(200).time_slots[0];
		};
		expect(await change({ valid_until: second })).toMatchObject({ valid_from: null, valid_until: second });
		expect(await openOn(client, place)).toEqual([
			[first, second],
			[first, second],
		]);
		expect(await change({ max_bookings: 2 })).toMatchObject({ valid_from: null, valid_until: second });
		const { status } = (await client.get<{ status: string }>(`/v1/bookings/${booking.id}`)).mustBe(200);
		expect(status).toBe('pending');
		expect(await change({ valid_until: null })).toMatchObject({ valid_until: null });
		expect((await openOn(client, place))[0]).toEqual(MONDAYS);
	});

	test('S1: When a booking comes back from `cancelled`, then its date must be one of the slot, as it is now', async () => {
		const client = newAccount();
		const place = await slotOn(client);
		const [first, second] = MONDAYS;
		const { id } = await book(client, { ...place, date: second! });
		const cancel = { status: 'cancelled', cancel_reason: 'x' };
		const change = async (fields: object) => {
			(await client.patch('/v1/time-slots', { time_slots: [{ id: place.slot.id, ...fields }] })).mustBe(200);
		};
		(await client.patch(`/v1/bookings/${id}`, cancel)).mustBe(200);
		const back = () => client.patch(`/v1/bookings/${id}`, { status: 'pending' });
		await change({ valid_until: first });
		expectRefusal(await back(), 400, `date: time slot ${place.slot.id} is valid until ${first}`);
		await change({ valid_until: null, day_of_week: 2 });
		expectRefusal(await back(), 400, `date: ${second} is a Monday, time slot ${place.slot.id} is on Tuesdays`);
		await change({ day_of_week: 1 });
		(await back()).mustBe(200);
	});

	test('S1: When a slot would never be valid, then it is 400 and named, and nothing is changed', async () => {
		const client = newAccount();
		const never = { valid_from: '2026-12-02', valid_until: '2026-12-01' };
		const wrong = 'time_slots[1].valid_until: must not be before valid_from';
		const body = serviceBody({ time_slots: [slotInput(), slotInput(never)] });
		expectRefusal(await client.post('/v1/services', body), 400, wrong);
		expect((await client.get<{ services: unknown[] }>('/v1/services')).mustBe(200).services).toEqual([]);
		const { id } = await createService(client, { time_slots: [slotInput(), slotInput({ valid_from: '2026-12-02' })] });
		const before = await slotsOf(client, id);
		const ids = before.map((slot) => slot.id);
		for (const fields of [never, { valid_until: '2026-12-01' }]) {
			const time_slots = [
				{ id: ids[0], max_bookings: 9 },
				{ id: ids[1], ...fields },
			];
			expectRefusal(await client.patch('/v1/time-slots', { time_slots }), 400, wrong);
		}
		expect(await slotsOf(client, id)).toEqual(before);
	});

	test.each(['2026-02-30', 'soon', '', 1, true, {}])(
		'S1: When valid_from is %p, then it is 400 and named',
		async (valid_from) => {
			const client = newAccount();
			const body = serviceBody({ time_slots: [{ ...slotInput(), valid_from }] });
			expectRefusal(await client.post('/v1/services', body), 400, 'time_slots[0].valid_from');
			const { slot } = await slotOn(client);
			const time_slots = [{ id: slot.id, valid_from }];
			expectRefusal(await client.patch('/v1/time-slots', { time_slots }), 400, 'time_slots[0].valid_from');
		},
	);
});
