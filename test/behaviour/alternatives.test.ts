import { describe, expect, test } from '@jest/globals';
import type { Alternative } from '../../shared/contract/schemas/availability.ts';
import { dateOn, plusDays } from '../support/calendar.ts';
import { expectRefusal } from '../support/expectations.ts';
import { book, createService, overrideDates, slotInput, slotsOf, tryToBook } from '../support/scheduling.ts';
import { newAccount } from '../support/shared-product.ts';

const MONDAY = dateOn(1, 4);
const hours = (hour: number) => ({ start_time: `2026-01-05 ${hour}:00:00`, end_time: `2026-01-05 ${hour}:30:00` });

/** A service with slots on Mondays at 9 and at 11, and on Tuesdays at 9; the first of them is full on MONDAY. */
async function full() {
	const client = newAccount();
	const time_slots = [slotInput(hours(11)), slotInput(hours(10)), slotInput({ ...hours(10), day_of_week: 2 })];
	const { id } = await createService(client, { timezone: 'Asia/Tokyo', time_slots });
	const [later, early, tuesday] = await slotsOf(client, id);
	const place = { slot: early!, date: MONDAY };
	const booking = await book(client, place);
	return { client, id, later: later!, early: early!, tuesday: tuesday!, place, booking };
}

const brief = (body: unknown) =>
	(body as { alternatives?: Alternative[] }).alternatives?.map(({ time_slot_id, date }) => [time_slot_id, date]);

describe('S7: what can be booked instead', () => {
	test('S7: When a place is wanted that is taken, then the nearest in time are told, as many as were asked for', async () => {
		const { client, id, later, tuesday, place } = await full();
		const refusal = await tryToBook(client, place, {}, { query: { alternatives: 4 } });
		expectRefusal(refusal, 400, 'time slot is full');
		expect(brief(refusal.body)).toEqual([
			[later.id, MONDAY],
			[tuesday.id, plusDays(MONDAY, 1)],
			[tuesday.id, plusDays(MONDAY, -6)],
			[later.id, plusDays(MONDAY, -7)],
		]);
		const { alternatives } = refusal.body as unknown as { alternatives: Alternative[] };
		expect(alternatives[0]).toEqual({
			service_id: id,
			time_slot_id: later.id,
			date: MONDAY,
			starts_at: `${MONDAY}T11:00:00+09:00`,
			ends_at: `${MONDAY}T11:30:00+09:00`,
			remaining: 1,
		});
		for (const { time_slot_id, date } of alternatives)
			(await client.post('/v1/bookings', { time_slot_id, date })).mustBe(201);
	});

	test('S7: When nobody asks for them, or the refusal is another one, then there are none', async () => {
		const { client, early, place } = await full();
		expect(Object.keys((await tryToBook(client, place)).body)).toEqual(['error', 'code']);
		const onTuesday = { slot: early, date: plusDays(MONDAY, 1) };
		const refusal = await tryToBook(client, onTuesday, {}, { query: { alternatives: 3 } });
		expect(Object.keys(refusal.body)).toEqual(['error', 'code', 'faults']);
	});

	test('S7: When a move finds no place, or dates are closed, then it is told, too, and only of the next 28 days', async () => {
		const { client, id, later, place, booking } = await full();
		const other = await book(client, { slot: later, date: plusDays(MONDAY, 7) });
		const own = { slot: later, date: MONDAY };
		await book(client, own);
		const query = { alternatives: 10 };
		const moved = await client.patch(`/v1/bookings/${other.id}`, { date: MONDAY }, { query });
		expectRefusal(moved, 400, 'time slot is full');
		expect(brief(moved.body)).toHaveLength(10);
		await overrideDates(client, id, { date_from: plusDays(MONDAY, -40), date_to: plusDays(MONDAY, 28) });
		const closed = await tryToBook(client, place, {}, { query });
		expect(closed.body).toMatchObject({ code: 'closed', alternatives: [] });
		expect(booking.status).toBe('pending');
	});

	test('S7: When a move to another slot finds no place, then what is near that slot is told', async () => {
		const client = newAccount();
		const time_slots = [10, 11, 12, 17].map((hour) => slotInput(hours(hour)));
		const { id } = await createService(client, { time_slots });
		const [before, wanted, after, last] = await slotsOf(client, id);
		await book(client, { slot: wanted!, date: MONDAY });
		const late = await book(client, { slot: last!, date: plusDays(MONDAY, 7) });
		const wish = { time_slot_id: wanted!.id, date: MONDAY };
		const moved = await client.patch(`/v1/bookings/${late.id}`, wish, { query: { alternatives: 3 } });
		expectRefusal(moved, 400, 'time slot is full');
		expect(brief(moved.body)).toEqual([
			[before!.id, MONDAY],
			[after!.id, MONDAY],
			[last!.id, MONDAY],
		]);
	});

	test('S7: When rules refuse, then what they leave open is told', async () => {
		const { client, id, place } = await full();
		const days = Math.ceil((Date.parse(place.date) - Date.now()) / 86_400_000);
		(await client.patch(`/v1/services/${id}`, { rules: { max_advance_days: days - 5 } })).mustBe(200);
		const early = await tryToBook(client, place, {}, { query: { alternatives: 2 } });
		expect(early.body).toMatchObject({ code: 'horizon' });
		expect(brief(early.body)!.every(([, date]) => String(date) < place.date)).toBe(true);
		expect(brief(early.body)).toHaveLength(2);
	});

	test.each([0, 11, -1, 1.5, 'all'])(
		'S7: When alternatives=%s, then it is 400, it is named, and nothing is booked',
		async (alternatives) => {
			const { client, later, booking } = await full();
			const place = { slot: later, date: MONDAY };
			expectRefusal(await tryToBook(client, place, {}, { query: { alternatives } }), 400, 'alternatives');
			const moved = await client.patch(
				`/v1/bookings/${booking.id}`,
				{ date: plusDays(MONDAY, 7) },
				{ query: { alternatives } },
			);
			expectRefusal(moved, 400, 'alternatives');
			await book(client, place);
		},
	);
});
