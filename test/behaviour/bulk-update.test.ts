import { describe, expect, test } from '@jest/globals';
import type { TimeSlot } from '../../shared/contract/schemas/time-slot.ts';
import { expectError, expectRefusal } from '../support/expectations.ts';
import type { Client } from '../support/http-client.ts';
import {
	book,
	createService,
	getBooking,
	getService,
	slotInput,
	slotOn,
	slotsOf,
	tryToBook,
} from '../support/scheduling.ts';
import { newAccount } from '../support/shared-product.ts';

async function slots(client: Client, count: number): Promise<TimeSlot[]> {
	const { id } = await createService(client, { time_slots: Array.from({ length: count }, () => slotInput()) });
	return slotsOf(client, id);
}

function change(client: Client, time_slots: unknown) {
	return client.patch<{ time_slots: TimeSlot[] }>('/v1/time-slots', { time_slots });
}

describe('PATCH /v1/time-slots (contract §3)', () => {
	test('When slots are changed, then they come back in the order asked, and stay so', async () => {
		const client = newAccount();
		const [a, b, c] = await slots(client, 3);
		const changes = [
			{ id: c!.id, max_bookings: 30 },
			{ id: a!.id, day_of_week: 5, start_time: '2026-01-09 22:00:00', end_time: '2026-01-10 02:00:00' },
		];
		const answer = await change(client, changes);
		const changed = answer.mustBe(200).time_slots;
		expect(Object.keys(answer.data)).toEqual(['time_slots']);
		expect(changed).toMatchObject([{ ...c, max_bookings: 30, updated_at: changed[0]!.updated_at }, { ...changes[1] }]);
		expect(await slotsOf(client, a!.service_id)).toEqual([changed[1], b, changed[0]]);
	});

	test('When slots of several services are changed, then all are', async () => {
		const client = newAccount();
		const [one] = await slots(client, 1);
		const [two] = await slots(client, 1);
		const changes = [
			{ id: two!.id, max_bookings: 8 },
			{ id: one!.id, max_bookings: 9 },
		];
		const changed = (await change(client, changes)).mustBe(200).time_slots;
		expect(changed.map((slot) => [slot.id, slot.max_bookings])).toEqual([
			[two!.id, 8],
			[one!.id, 9],
		]);
	});

	test('S4: When 500 slots are changed at once, then they are, and 501 are 400', async () => {
		const client = newAccount();
		const all = [...(await slots(client, 500)), ...(await slots(client, 1))];
		const changes = all.map(({ id }) => ({ id, max_bookings: 0 }));
		expectRefusal(await change(client, changes), 400, 'time_slots', '500');
		expect((await slotsOf(client, all[0]!.service_id))[0]!.max_bookings).toBe(1);
		expect((await change(client, changes.slice(0, 500))).mustBe(200).time_slots).toHaveLength(500);
		expect((await slotsOf(client, all[0]!.service_id)).every(({ max_bookings }) => max_bookings === 0)).toBe(true);
		expect((await slotsOf(client, all.at(-1)!.service_id)).at(-1)!.max_bookings).toBe(1);
	});

	test('When a change changes nothing, then the slot stays as it is', async () => {
		const client = newAccount();
		const [slot] = await slots(client, 1);
		expect((await change(client, [{ id: slot!.id }])).mustBe(200).time_slots).toEqual([slot]);
		expect((await change(client, [{ id: slot!.id, max_bookings: 1 }])).mustBe(200).time_slots).toEqual([slot]);
	});

	test('When a slot of a GET is sent back changed, then it round-trips', async () => {
		const client = newAccount();
		const [slot] = await slots(client, 1);
		const changed = (await change(client, [{ ...slot!, max_bookings: 2 }])).mustBe(200).time_slots;
		expect(changed[0]).toMatchObject({ id: slot!.id, max_bookings: 2, created_at: slot!.created_at });
	});

	test('When an id is unknown or another account’s, then it is 404 and nothing is changed', async () => {
		const [client, other] = [newAccount(), newAccount()];
		const [mine] = await slots(client, 1);
		const [theirs] = await slots(other, 1);
		for (const id of [9007199254740991, theirs!.id]) {
			const changes = [
				{ id: mine!.id, max_bookings: 5 },
				{ id, max_bookings: 5 },
			];
			expectError(await change(client, changes), 404, 'time slot not found');
		}
		expect(await slotsOf(client, mine!.service_id)).toEqual([mine]);
		expect(await slotsOf(other, theirs!.service_id)).toEqual([theirs]);
	});

	test('When the slot of a deleted service is changed, then it is 404', async () => {
		const client = newAccount();
		const [slot] = await slots(client, 1);
		(await client.delete(`/v1/services/${slot!.service_id}`)).mustBe(200);
		expectError(await change(client, [{ id: slot!.id, max_bookings: 2 }]), 404, 'time slot not found');
	});

	const bad: [string, (slot: TimeSlot) => unknown, string][] = [
		['no list', () => ({ id: 1 }), 'time_slots'],
		['an empty list', () => [], 'time_slots'],
		['an item without id', () => [{ max_bookings: 1 }], 'time_slots[0].id'],
		['an id twice', ({ id }) => [{ id, max_bookings: 2 }, { id }], 'time_slots[1]'],
		['a day 7', ({ id }) => [{ id, day_of_week: 7 }], 'time_slots[0].day_of_week'],
		['-1 bookings', ({ id }) => [{ id, max_bookings: -1 }], 'time_slots[0].max_bookings'],
		['10,001 bookings', ({ id }) => [{ id, max_bookings: 10_001 }], 'time_slots[0].max_bookings'],
		['no real start', ({ id }) => [{ id, start_time: '2026-02-30 09:00:00' }], 'time_slots[0].start_time'],
		['an end before the start', ({ id }) => [{ id, end_time: '2026-01-05 08:00:00' }], 'time_slots[0]'],
		['a start after the end', ({ id }) => [{ id, start_time: '2026-01-05 10:00:00' }], 'time_slots[0]'],
		[
			'a second item that is bad',
			({ id }) => [
				{ id, max_bookings: 9 },
				{ id: id + 1, day_of_week: 9 },
			],
			'time_slots[1]',
		],
	];
	test.each(bad)(
		'When the changes have %s, then it is 400 and named, and nothing is changed',
		async (_, changes, named) => {
			const client = newAccount();
			const [slot] = await slots(client, 1);
			expectRefusal(await change(client, changes(slot!)), 400, named);
			expect(await slotsOf(client, slot!.service_id)).toEqual([slot]);
		},
	);

	test('When a slot gets max_bookings 0, then it is closed, and open again with 1', async () => {
		const client = newAccount();
		const place = await slotOn(client);
		expect(
			(await change(client, [{ id: place.slot.id, max_bookings: 0 }])).mustBe(200).time_slots[0]!.max_bookings,
		).toBe(0);
		expectError(await tryToBook(client, place), 400, 'time slot is full');
		(await change(client, [{ id: place.slot.id, max_bookings: 1 }])).mustBe(200);
		await book(client, place);
	});

	test('When a slot moves to another day, then its bookings keep their date and the slot as it was', async () => {
		const client = newAccount();
		const place = await slotOn(client, { max_bookings: 2 });
		const booking = await book(client, place);
		(await change(client, [{ id: place.slot.id, day_of_week: 4 }])).mustBe(200);
		const after = await getBooking(client, booking.id);
		expect(after).toEqual(booking);
		expectRefusal(await tryToBook(client, place), 400, 'date');
	});

	test('When slots are changed, then the version of their service stays', async () => {
		const client = newAccount();
		const [slot] = await slots(client, 1);
		(await change(client, [{ id: slot!.id, max_bookings: 3 }])).mustBe(200);
		expect((await getService(client, slot!.service_id)).version).toBe(1);
	});

	test('When many bulk updates run at once, then each is all or nothing', async () => {
		const client = newAccount();
		const all = await slots(client, 20);
		const writes = Array.from({ length: 12 }, (_, number) =>
			change(
				client,
				all.map(({ id }) => ({ id, max_bookings: 100 + number })),
			),
		);
		for (const answer of await Promise.all(writes)) answer.mustBe(200);
		const after = await slotsOf(client, all[0]!.service_id);
		expect(new Set(after.map((slot) => slot.max_bookings)).size).toBe(1);
	});
});
