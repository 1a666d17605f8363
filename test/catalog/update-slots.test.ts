import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { SlotDocument } from '../../services/catalog/schedule/slot.model.ts';
import { Sweep } from '../../services/catalog/sweep.ts';
import type { TimeSlot } from '../../shared/contract/schemas/time-slot.ts';
import { rounds } from '../support/rounds.ts';
import { until } from '../support/until.ts';
import { newService, onBothStores, slot, World } from './catalog-world.ts';
import { deaths, intercept } from './crash.ts';

onBothStores('bulk update of time slots', (form) => {
	let world: World;
	beforeAll(async () => {
		world = await World.start(form, 3);
	});
	afterAll(() => world.stop());

	const listed = async (account_id: string): Promise<TimeSlot[]> =>
		(await world.catalog.call('listSlots', { account_id, page: 1, page_size: 1000, all: false })).time_slots;

	const newSlots = async (count: number, account_id = world.account()) => {
		const time_slots = Array.from({ length: count }, () => slot());
		await world.catalog.call('createService', { account_id, body: newService(time_slots) });
		return { account_id, before: await listed(account_id) };
	};

	test('When slots are changed, then the answer is in the order asked, and only what changed is touched', async () => {
		const { account_id, before } = await newSlots(4);
		world.clock.advance(1_000);
		const [a, b, c, d] = before as [TimeSlot, TimeSlot, TimeSlot, TimeSlot];
		const body = {
			time_slots: [
				{ id: c.id, max_bookings: 0 },
				{ id: a.id, day_of_week: 3, start_time: '2026-01-07 22:00:00', end_time: '2026-01-08 01:00:00' },
				{ id: b.id, max_bookings: b.max_bookings },
			],
		};
		const { time_slots } = await world.catalog.call('updateSlots', { account_id, body });
		const updated_at = time_slots[0]!.updated_at;
		expect(updated_at).not.toBe(c.updated_at);
		const changedA = { ...a, ...body.time_slots[1], updated_at };
		expect(time_slots).toEqual([{ ...c, max_bookings: 0, updated_at }, changedA, b]);
		expect(await listed(account_id)).toEqual([changedA, b, time_slots[0], d]);
	});

	test('When an id is unknown, deleted or another account’s, then none is changed', async () => {
		const { account_id, before } = await newSlots(1);
		const other = await newSlots(1);
		const gone = await newSlots(1, account_id);
		const deleted = gone.before.at(-1)!;
		await world.catalog.call('deleteService', { account_id, service_id: deleted.service_id });
		for (const id of [other.before[0]!.id, deleted.id, 999_999]) {
			const body = {
				time_slots: [
					{ id: before[0]!.id, max_bookings: 1 },
					{ id, max_bookings: 1 },
				],
			};
			await expect(world.catalog.call('updateSlots', { account_id, body })).rejects.toMatchObject({
				type: 'time_slot_not_found',
			});
		}
		expect(await listed(account_id)).toEqual(before);
		expect(await listed(other.account_id)).toEqual(other.before);
	});

	test('When an end is not after its start, given or kept, then it is a 400 that names it', async () => {
		const { account_id, before } = await newSlots(3);
		const [a, b, c] = before as [TimeSlot, TimeSlot, TimeSlot];
		const body = {
			time_slots: [
				{ id: a.id, max_bookings: 9 },
				{ id: b.id, start_time: '2026-01-05 10:00:00' },
				{ id: c.id, end_time: '2026-01-05 08:59:59' },
			],
		};
		await expect(world.catalog.call('updateSlots', { account_id, body })).rejects.toMatchObject({
			type: 'invalid_request',
			code: 400,
			message: 'time_slots[1].end_time: must be after start_time; time_slots[2].end_time: must be after start_time',
		});
		const whole = { id: 999_999, start_time: '2026-01-05 10:00:00', end_time: '2026-01-05 10:00:00' };
		await expect(
			world.catalog.call('updateSlots', { account_id, body: { time_slots: [whole, { ...whole }] } }),
		).rejects.toMatchObject({
			code: 400,
			message:
				'time_slots[0].end_time: must be after start_time; time_slots[1].id: 999999 is named more than once; time_slots[1].end_time: must be after start_time',
		});
		expect(await listed(account_id)).toEqual(before);
	});

	/** The maxima that every kind of reader finds, in every process; what creations read first. */
	const seenEverywhere = async (account_id: string, before: TimeSlot[]): Promise<Set<number>> => {
		const seen: number[] = [];
		const service_id = before[0]!.service_id;
		for (const catalog of world.catalogs.slice(0, 3)) {
			const slots = await catalog.call('slots', {
				slots: before.map(({ id }) => ({ account_id, time_slot_id: id })),
			});
			const range = { account_id, service_id, from: '2026-01-01', to: '2026-01-07', limit: 100 };
			const { occurrences } = await catalog.call('occurrences', range);
			const one = await catalog.call('findSlot', { time_slot_id: before[0]!.id });
			seen.push(...slots.map((now) => now!.slot.max_bookings), one!.slot.max_bookings);
			seen.push(...occurrences.map(({ max_bookings }) => max_bookings));
			seen.push(...(await listed(account_id)).map(({ max_bookings }) => max_bookings));
		}
		return new Set(seen);
	};

	test('X18: When a process dies at any write of an update, then every reader sees all of it or nothing', async () => {
		const outcomes: number[] = [];
		for (const [nth, when] of deaths()) {
			const { account_id, before } = await newSlots(4);
			const body = { time_slots: before.map(({ id }) => ({ id, max_bookings: 9 })) };
			if (!(await world.callAndDie('updateSlots', { account_id, body }, nth, when))) break;
			const seen = await seenEverywhere(account_id, before);
			expect(seen.size).toBe(1);
			outcomes.push(...seen);
		}
		expect(new Set(outcomes)).toEqual(new Set([4, 9]));
		// Before it; the account's document, the marks, the commit, four slots, done; beside another's sweep some once more.
		expect(outcomes.length).toBeGreaterThanOrEqual(9);
	});

	test('When a process died in an update, then the sweep and a process that starts carry it out', async () => {
		for (const rescue of [
			() => new Sweep(world.records, world.catalog.broker).run(),
			async () => void (await world.startCatalog()),
		]) {
			const { account_id, before } = await newSlots(2);
			const body = { time_slots: before.map(({ id }) => ({ id, max_bookings: 9 })) };
			expect(await world.callAndDie('updateSlots', { account_id, body }, 3, 'before')).toBe(true);
			await rescue();
			const stored = await world.documents.slots.find({ account_id }).lean<SlotDocument[]>();
			expect(stored).toMatchObject([
				{ max_bookings: 9, in_update: false },
				{ max_bookings: 9, in_update: false },
			]);
		}
	});

	test('When a process died in an update, then the next one goes on from all of it', async () => {
		// The second one asks for what is stored still: that is a change, too.
		for (const asked of [{ day_of_week: 3 }, { max_bookings: 4 }]) {
			const { account_id, before } = await newSlots(3);
			const update = (fields: object) => ({ time_slots: before.map(({ id }) => ({ id, ...fields })) });
			const dying = { account_id, body: update({ max_bookings: 9 }) };
			expect(await world.callAndDie('updateSlots', dying, 3, 'before')).toBe(true); // it is committed, and no slot written
			const { time_slots } = await world.catalog.call('updateSlots', { account_id, body: update(asked) });
			expect(time_slots).toMatchObject(before.map(() => ({ max_bookings: 9, ...asked })));
			expect(await listed(account_id)).toEqual(time_slots);
		}
	});

	test('When a process carries out an update late, after a newer one, then the newer one stays', async () => {
		const { account_id, before } = await newSlots(1);
		const [{ id }] = before as [TimeSlot];
		const update = (index: number, max_bookings: number) =>
			world.catalogs[index]!.call('updateSlots', { account_id, body: { time_slots: [{ id, max_bookings }] } });
		const { promise: newer, resolve: go } = Promise.withResolvers<void>();
		const slots = intercept(world.store, 'time_slots', 'updateOne', async (run, call) => {
			if (call === 0) await newer;
			return run();
		});
		const late = update(0, 9);
		await until(() => slots.calls.length > 0);
		await update(1, 7);
		go();
		await late;
		slots.undo();
		expect((await listed(account_id)).map(({ max_bookings }) => max_bookings)).toEqual([7]);
	});

	test('X18: When a service is deleted beside an update of its slots and another’s, then it is changed whole before, or not at all', async () => {
		for (let round = 0; round < rounds(20); round++) {
			const kept = await newSlots(2);
			const { account_id } = kept;
			const both = (await newSlots(2, account_id)).before;
			const service_id = both.at(-1)!.service_id;
			const body = { time_slots: both.map(({ id }) => ({ id, max_bookings: 9 })) };
			const update = world.catalogs[1]!.call('updateSlots', { account_id, body }).then(
				() => 9,
				() => 4,
			);
			await world.catalogs[2]!.call('deleteService', { account_id, service_id });
			const once = await listed(account_id);
			const outcome = await update;
			const later = await listed(account_id);
			for (const list of [once, later]) {
				expect(list.map(({ id, max_bookings }) => [id, max_bookings])).toEqual(
					kept.before.map(({ id }) => [id, outcome]),
				);
			}
		}
	});

	test('X18: When a service died at any write of its deletion, then no update of its slots is made half', async () => {
		for (let nth = 0; ; nth++) {
			const kept = await newSlots(1);
			const { account_id } = kept;
			const both = (await newSlots(1, account_id)).before;
			const deletion = { account_id, service_id: both.at(-1)!.service_id };
			if (!(await world.callAndDie('deleteService', deletion, nth, 'after'))) break;
			const body = { time_slots: both.map(({ id }) => ({ id, max_bookings: 9 })) };
			const updated = await world.catalog.call('updateSlots', { account_id, body }).then(
				() => true,
				() => false,
			);
			const { time_slots } = await world.catalog.call('listSlots', { account_id, page: 1, page_size: 10, all: true });
			expect(time_slots.find(({ id }) => id === kept.before[0]!.id)!.max_bookings).toBe(updated ? 9 : 4);
			expect(await world.catalog.call('deleteService', deletion)).toBe('ok');
			expect(await listed(account_id)).toHaveLength(1);
		}
	});

	test('When many slots are changed, then not all connections are taken for it', async () => {
		const { account_id, before } = await newSlots(120);
		const { collection } = world.records.slots.model;
		const { updateOne } = collection;
		let [now, most] = [0, 0];
		collection.updateOne = (...asked: Parameters<typeof updateOne>) => {
			most = Math.max(most, ++now);
			return updateOne.apply(collection, asked).finally(() => now--);
		};
		try {
			const body = { time_slots: before.map(({ id }) => ({ id, max_bookings: 9 })) };
			await world.catalog.call('updateSlots', { account_id, body });
			expect(new Set((await listed(account_id)).map(({ max_bookings }) => max_bookings))).toEqual(new Set([9]));
			expect(most).toBeGreaterThanOrEqual(25);
			expect(most).toBeLessThanOrEqual((1 + world.living.length) * 25); // beside the request each one's sweep may carry it out
		} finally {
			collection.updateOne = updateOne;
		}
	});

	test('When updates of the same slots run at once in three processes, then each is whole', async () => {
		const { account_id, before } = await newSlots(5);
		const answers = await Promise.all(
			Array.from({ length: 15 }, (_, index) =>
				world.catalogs[index % 3]!.call('updateSlots', {
					account_id,
					body: { time_slots: before.map(({ id }) => ({ id, max_bookings: index + 10 })) },
				}),
			),
		);
		for (const [index, { time_slots }] of answers.entries()) {
			expect(new Set(time_slots.map(({ max_bookings }) => max_bookings))).toEqual(new Set([index + 10]));
		}
		expect(new Set((await listed(account_id)).map(({ max_bookings }) => max_bookings)).size).toBe(1);
	});

	test('When two processes change different fields of the same slots at once, then none is lost', async () => {
		const { account_id, before } = await newSlots(5);
		for (let round = 0; round < rounds(10); round++) {
			const update = (index: number, change: Partial<TimeSlot>) =>
				world.catalogs[index]!.call('updateSlots', {
					account_id,
					body: { time_slots: before.map(({ id }) => ({ ...change, id })) },
				});
			await Promise.all([update(0, { max_bookings: round + 10 }), update(1, { day_of_week: round % 7 })]);
			for (const now of await listed(account_id)) {
				expect(now).toMatchObject({ max_bookings: round + 10, day_of_week: round % 7 });
			}
		}
	});

	test('L8: When a maximum was lowered, then whoever reads the slot after the answer reads the new one', async () => {
		const { account_id, before } = await newSlots(1);
		const { id } = before[0]!;
		for (let max_bookings = 20; max_bookings > 0; max_bookings--) {
			await world.catalogs[max_bookings % 3]!.call('updateSlots', {
				account_id,
				body: { time_slots: [{ id, max_bookings }] },
			});
			for (const catalog of world.catalogs.slice(0, 3)) {
				const [now] = await catalog.call('slots', { slots: [{ account_id, time_slot_id: id }] });
				expect(now?.slot.max_bookings).toBe(max_bookings);
			}
		}
	});
});
