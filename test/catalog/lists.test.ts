import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { readWhole } from '../../services/catalog/schedule/read-slots.ts';
import type { SlotDocument } from '../../services/catalog/schedule/slot.model.ts';
import type { Result } from '../../shared/contract/actions.ts';
import { newService, onBothStores, slot, slots, World } from './catalog-world.ts';

const MESSAGE_LIMIT = 512 * 1024; // bytes: half of what NATS carries

onBothStores('lists of the catalog', (form) => {
	let world: World;
	beforeAll(async () => {
		world = await World.start(form, 2);
	});
	afterAll(() => world.stop());

	const create = async (account_id: string, count: number, fields = {}) =>
		(await world.catalog.call('createService', { account_id, body: newService(slots(count), fields) })).data;

	test('When services are listed, then they come by id, page by page, with their counts from one call', async () => {
		const account_id = world.account();
		const created = [];
		for (let index = 0; index < 5; index++) created.push(await create(account_id, 0, { name: `service ${index}` }));
		world.bookings.set(created[3]!.id, 12);
		world.countCalls.length = 0;
		const second = await world.catalog.call('listServices', { account_id, page: 2, page_size: 2 });
		expect(second.services).toEqual([created[2], { ...created[3], bookings_count: 12 }]);
		expect(second.pagination).toEqual({
			page: 2,
			page_size: 2,
			total_items: 5,
			total_pages: 3,
			current_page: 2,
			total_count: 5,
		});
		expect(world.countCalls).toEqual([{ account_id, service_ids: [created[2]!.id, created[3]!.id] }]);
		for (const page of [4, Number.MAX_SAFE_INTEGER]) {
			const past = await world.catalog.call('listServices', { account_id, page, page_size: 1000 });
			expect(past).toMatchObject({ services: [], pagination: { total_items: 5 } });
		}
		const rest = await world.catalog.call('listServices', { account_id, page: 1, page_size: 3, after: created[2]!.id });
		expect(rest.services.map(({ id }) => id)).toEqual([created[3]!.id, created[4]!.id]);
	});

	test('When texts are as long as they may be, then a hundred services fit a message', async () => {
		const account_id = world.account();
		const long = { name: '😀'.repeat(72), description: '😀'.repeat(255), timezone: 'America/Argentina/ComodRivadavia' };
		await create(account_id, 0, long);
		const { services } = await world.catalog.call('listServices', { account_id, page: 1, page_size: 100 });
		expect(100 * Buffer.byteLength(JSON.stringify(services[0]))).toBeLessThan(MESSAGE_LIMIT);
	});

	test('When all slots are listed in pieces, then each comes once, also where services before them are deleted', async () => {
		const account_id = world.account();
		const first = await create(account_id, 20);
		const second = await create(account_id, 500);
		const third = await create(account_id, 500);
		const fourth = await create(account_id, 380);
		const list = { account_id, page: 1, page_size: 20, all: true };
		const piece = await world.catalog.call('listSlots', list);
		expect(piece.time_slots).toHaveLength(1000);
		expect(piece.pagination).toMatchObject({ page: 1, page_size: 1400, total_items: 1400, total_pages: 1 });
		expect(Buffer.byteLength(JSON.stringify(piece))).toBeLessThan(MESSAGE_LIMIT);
		await world.catalog.call('deleteService', { account_id, service_id: first.id });
		const rest = await world.catalog.call('listSlots', { ...list, after: piece.time_slots.at(-1)!.id });
		expect(rest.time_slots).toHaveLength(400);
		expect(new Set(rest.time_slots.map((each) => each.service_id))).toEqual(new Set([third.id, fourth.id]));
		const ids = [...piece.time_slots, ...rest.time_slots].map(({ id }) => id);
		expect(ids).toEqual([...new Set(ids)].sort((left, right) => left - right));
		const page = await world.catalog.call('listSlots', { ...list, all: false, page: 4, page_size: 400 });
		expect(page.time_slots).toHaveLength(180);
		const ofOne = await world.catalog.call('listSlots', { ...list, all: false, service_id: second.id });
		expect(ofOne.pagination).toMatchObject({ total_items: 500, total_pages: 25 });
	});

	test('X18: When a service is created while all slots are listed, then all of its slots are listed, or none', async () => {
		const account_id = world.account();
		const { slots: documents } = world.documents;
		const rows = () => documents.find({ account_id, state: 'active' }).lean<SlotDocument[]>();
		let last: number | undefined;
		const { slots: listed } = await readWhole(world.records, { account_id }, async () => {
			if (last !== undefined) return rows();
			await create(account_id, 3); // it comes as its slots are read: one of them is not yet active
			last = (await rows()).at(-1)!._id;
			await documents.updateOne({ _id: last, account_id }, { $set: { state: 'new' } });
			const half = await rows();
			await documents.updateOne({ _id: last, account_id }, { $set: { state: 'active' } });
			return half;
		});
		expect(listed).toHaveLength(3);
	});

	test('When slots of many accounts are asked for at once, then each account gets its own', async () => {
		const accounts = [world.account(), world.account()];
		const keys = [];
		for (const account_id of accounts) {
			const { id } = await create(account_id, 3);
			const list = { account_id, service_id: id, page: 1, page_size: 20, all: false };
			const { time_slots } = await world.catalog.call('listSlots', list);
			keys.push(...time_slots.map((each) => ({ account_id, time_slot_id: each.id })));
		}
		const crossed = keys.map(({ time_slot_id }, index) => ({ account_id: accounts[index < 3 ? 1 : 0]!, time_slot_id }));
		const asked = [...keys.toReversed(), { account_id: accounts[0]!, time_slot_id: 999_999 }, ...crossed, keys[0]!];
		const found = await world.catalog.call('slots', { slots: asked });
		expect(found.map((each) => each?.slot.id ?? null)).toEqual([
			...keys.toReversed().map(({ time_slot_id }) => time_slot_id),
			null,
			...crossed.map(() => null),
			keys[0]!.time_slot_id,
		]);
	});

	test('When occurrences are asked for, then they come by date, then slot, with the offset of the date', async () => {
		const account_id = world.account();
		const time_slots = [
			slot({ day_of_week: 0, start_time: '2026-01-04 02:30:00', end_time: '2026-01-04 04:00:00', max_bookings: 2 }),
			slot({ day_of_week: 6, start_time: '2026-01-03 22:00:00', end_time: '2026-01-04 02:00:00' }),
			slot({ day_of_week: 0, start_time: '2026-01-04 09:00:00', end_time: '2026-01-04 10:00:00' }),
		];
		const { data } = await world.catalog.call('createService', { account_id, body: newService(time_slots) });
		const range = { account_id, service_id: data.id, from: '2026-03-22', to: '2026-03-29', limit: 1000 };
		const { occurrences, next } = await world.catalog.call('occurrences', range);
		expect(next).toBeNull();
		expect(occurrences.map(({ date, starts_at, ends_at }) => [date, starts_at, ends_at])).toEqual([
			['2026-03-22', '2026-03-22T02:30:00+01:00', '2026-03-22T04:00:00+01:00'],
			['2026-03-22', '2026-03-22T09:00:00+01:00', '2026-03-22T10:00:00+01:00'],
			['2026-03-28', '2026-03-28T22:00:00+01:00', '2026-03-29T03:00:00+02:00'],
			['2026-03-29', '2026-03-29T03:30:00+02:00', '2026-03-29T04:00:00+02:00'],
			['2026-03-29', '2026-03-29T09:00:00+02:00', '2026-03-29T10:00:00+02:00'],
		]);
		expect(occurrences[0]).toMatchObject({ max_bookings: 2 });
	});

	test('When occurrences do not fit an answer, then they come in whole dates, each once', async () => {
		const account_id = world.account();
		const { id } = await create(account_id, 500);
		const range = { account_id, service_id: id, to: '2026-05-03', limit: 1000 };
		const dates: string[] = [];
		const seen: string[] = [];
		for (let next: { from: string } | null = { from: '2026-02-01' }; next !== null; ) {
			const piece: Result<'catalog.occurrences'> = await world.catalog.call('occurrences', { ...range, ...next });
			expect(piece.occurrences.length).toBeLessThanOrEqual(1000);
			expect(Buffer.byteLength(JSON.stringify(piece))).toBeLessThan(MESSAGE_LIMIT);
			dates.push(next.from);
			seen.push(...piece.occurrences.map(({ date, time_slot_id }) => `${date} ${time_slot_id}`));
			next = piece.next;
		}
		expect(dates.length).toBeGreaterThan(6);
		expect(new Set(seen).size).toBe(seen.length);
		expect(seen.length).toBe(6_572); // 92 days: 13 of each day of the week, 14 of Sunday; 71 or 72 slots on each
		const oneDate = await world.catalog.call('occurrences', { ...range, from: '2026-02-01', limit: 1 });
		expect(oneDate.next?.from).toBe('2026-02-02');
		expect(oneDate.occurrences.length).toBe(72);
	});
});
