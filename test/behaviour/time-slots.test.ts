import { describe, expect, test } from '@jest/globals';
import type { TimeSlot, TimeSlotList } from '../../shared/contract/schemas/time-slot.ts';
import { expectError, TIMESTAMP } from '../support/expectations.ts';
import { createService, slotInput, slotsOf } from '../support/scheduling.ts';
import { newAccount } from '../support/shared-product.ts';

const FIELDS = [
	'id',
	'service_id',
	'day_of_week',
	'start_time',
	'end_time',
	'max_bookings',
	'valid_from',
	'valid_until',
	'created_at',
	'updated_at',
];

describe('Slots of a service: both readings (contract §3)', () => {
	test('When the query has no pagination at all, then data is the plain array', async () => {
		const client = newAccount();
		const { id } = await createService(client, { time_slots: [slotInput(), slotInput({ day_of_week: 3 })] });
		const slots = await slotsOf(client, id);
		expect(Array.isArray(slots)).toBe(true);
		expect(slots).toHaveLength(2);
		expect(Object.keys(slots[0]!).sort()).toEqual([...FIELDS].sort());
		expect(slots[1]).toMatchObject({ ...slotInput({ day_of_week: 3 }), service_id: id });
		expect(slots[0]!.created_at).toMatch(TIMESTAMP);
	});

	test.each(['page=1', 'page_size=20', 'page=1&page_size=20', 'no_pagination=true', 'no_pagination=false'])(
		'When the query is %s, then data is {time_slots, pagination}',
		async (query) => {
			const client = newAccount();
			const { id } = await createService(client, { time_slots: [slotInput()] });
			const list = (await client.get<TimeSlotList>(`/v1/services/${id}/time-slots?${query}`)).mustBe(200);
			expect(Object.keys(list)).toEqual(['time_slots', 'pagination']);
			expect(list.time_slots).toEqual(await slotsOf(client, id));
		},
	);

	test('When a service has more slots than a page, then the plain array still has all of them', async () => {
		const client = newAccount();
		const { id } = await createService(client, { time_slots: Array.from({ length: 120 }, () => slotInput()) });
		const slots = await slotsOf(client, id);
		expect(slots).toHaveLength(120);
		expect(slots.map((slot) => slot.id)).toEqual(slots.map((slot) => slot.id).toSorted((a, b) => a - b));
	});

	test('When the service is unknown, then it is 404 in both readings', async () => {
		const client = newAccount();
		const path = '/v1/services/9007199254740991/time-slots';
		expectError(await client.get(path), 404, 'service not found');
		expectError(await client.get(`${path}?page=1&page_size=5`), 404, 'service not found');
	});
});

describe('Slots by query (contract §3)', () => {
	test('When no service_id is given, then the slots of the account are listed', async () => {
		const [client, other] = [newAccount(), newAccount()];
		const one = await createService(client, { time_slots: [slotInput()] });
		const two = await createService(client, { time_slots: [slotInput(), slotInput()] });
		await createService(other, { time_slots: [slotInput()] });
		const list = (await client.get<TimeSlotList>('/v1/time-slots')).mustBe(200);
		expect(list.time_slots.map((slot: TimeSlot) => slot.service_id)).toEqual([one.id, two.id, two.id]);
		expect(list.pagination.total_items).toBe(3);
	});

	test('When service_id is given, then only its slots are listed, always with pagination', async () => {
		const client = newAccount();
		const one = await createService(client, { time_slots: [slotInput()] });
		await createService(client, { time_slots: [slotInput()] });
		const list = (await client.get<TimeSlotList>(`/v1/time-slots?service_id=${one.id}`)).mustBe(200);
		expect(list.time_slots).toEqual(await slotsOf(client, one.id));
		expect(list.pagination).toMatchObject({ page: 1, page_size: 20, total_items: 1 });
	});
});
