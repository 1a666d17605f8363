import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { findSlots } from '../../services/catalog/schedule/slots-now.ts';
import { maximumOf } from '../../shared/calendar/bookable.ts';
import type { DateOverride } from '../../shared/contract/schemas/date-override.ts';
import { between } from './between.ts';
import { newService, onBothStores, slot, World } from './catalog-world.ts';

const DATE = '2026-12-07';
const on = { date_from: DATE, date_to: DATE };

onBothStores('date overrides', (form) => {
	let world: World;

	beforeAll(async () => {
		world = await World.start(form, 3);
	});
	afterAll(() => world.stop());

	async function oneSlot(max_bookings: number) {
		const account_id = world.account();
		const body = newService([slot({ max_bookings })]);
		const { data } = await world.catalog.call('createService', { account_id, body });
		const service = { account_id, service_id: data.id };
		const { time_slots } = await world.catalog.call('listSlots', { ...service, page: 1, page_size: 1, all: true });
		const override = (max: number) =>
			world.catalog.call('createOverride', { ...service, body: { ...on, max_bookings: max } });
		const remove = ({ id }: DateOverride) => world.catalog.call('deleteOverride', { ...service, override_id: id });
		const change = (max: number) => {
			const changed = { time_slots: [{ id: time_slots[0]!.id, max_bookings: max }] };
			return world.catalog.call('updateSlots', { account_id, body: changed });
		};
		return { service, key: { account_id, time_slot_id: time_slots[0]!.id, date: DATE }, override, remove, change };
	}

	test('S3: When several processes make and delete some at once, then none is lost, and none comes back', async () => {
		const { service } = await oneSlot(3);
		const made = await Promise.all(
			Array.from({ length: 60 }, (_, index) => {
				const body = { ...on, max_bookings: index };
				return world.catalogs[index % 3]!.call('createOverride', { ...service, body });
			}),
		);
		expect(new Set(made.map(({ id }) => id)).size).toBe(60);
		const doomed = made.filter((_, index) => index % 2 === 0);
		await Promise.all(
			doomed.map(({ id }, index) => {
				return world.catalogs[(index + 1) % 3]!.call('deleteOverride', { ...service, override_id: id });
			}),
		);
		const list = await world.catalogs[2]!.call('listOverrides', { ...service, offset: 0, limit: 300 });
		expect(list.date_overrides.map(({ id }) => id)).toEqual(
			made
				.filter((one) => !doomed.includes(one))
				.map(({ id }) => id)
				.sort((a, b) => a - b),
		);
	});

	test('S3: When another process has just answered a change, then every process goes by it', async () => {
		const { key, override, remove } = await oneSlot(3);
		const maxima = async () =>
			Promise.all(
				world.catalogs.map(async (catalog) => {
					const [now] = await catalog.call('slots', { slots: [key] });
					return maximumOf(now!.slot, now!.override);
				}),
			);
		for (let max = 0; max < 10; max++) {
			const made = await override(max);
			expect(await maxima()).toEqual([max, max, max]);
			await remove(made);
			expect(await maxima()).toEqual([3, 3, 3]);
		}
	});

	test('S3: When a slot is read before it is lowered, and its overrides after one was deleted, then no maximum is told that never held', async () => {
		const { key, override, remove, change } = await oneSlot(10);
		const seven = await override(7);
		const [now] = await findSlots(
			between(world.records, async () => {
				await change(5);
				await remove(seven);
			}),
			[key],
		);
		expect(maximumOf(now!.slot, now!.override)).toBe(5);
	});

	test('S3: When the first override comes while a slot is read, and the slot is raised under it, then no maximum is told that never held', async () => {
		const { key, override, change } = await oneSlot(5);
		const [now] = await findSlots(
			between(world.records, async () => {
				await override(0);
				await change(10);
			}),
			[key],
		);
		expect(maximumOf(now!.slot, now!.override)).toBe(0);
	});
});
