import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { getSchedule } from '../../services/catalog/schedule/replace-schedule.ts';
import type { SlotDocument } from '../../services/catalog/schedule/slot.model.ts';
import { findSlots } from '../../services/catalog/schedule/slots-now.ts';
import { Sweep } from '../../services/catalog/sweep.ts';
import { isError } from '../../shared/contract/errors.ts';
import type { ReplaceSchedule, Schedule } from '../../shared/contract/schemas/schedule.ts';
import { rounds } from '../support/rounds.ts';
import { until } from '../support/until.ts';
import { between } from './between.ts';
import { type Catalog, newService, onBothStores, slot, slots, World } from './catalog-world.ts';
import { deaths, intercept } from './crash.ts';

const ZONES = ['Europe/Berlin', 'America/Lima', 'Asia/Tokyo', 'Africa/Cairo'] as const;
const EVERY_DATE = { from: '2026-12-07', to: '2026-12-13', limit: 1000 };

/** Undefined where a read began anew until it was too late: a slow machine replaces faster than it reads. */
async function unlessTooLate<T>(read: Promise<T>): Promise<T | undefined> {
	try {
		return await read;
	} catch (error) {
		if (isError(error, 'gateway_timeout')) return undefined;
		throw error;
	}
}

onBothStores('schedules', (form) => {
	let world: World;

	beforeAll(async () => {
		world = await World.start(form, 3);
	});
	afterAll(() => world.stop());

	interface Owned {
		account_id: string;
		service_id: number;
	}

	async function newSchedule(count: number, account_id = world.account()): Promise<Owned & { first: Schedule }> {
		const body = newService(slots(count));
		const { data } = await world.catalog.call('createService', { account_id, body });
		const of = { account_id, service_id: data.id };
		return { ...of, first: await world.catalog.call('getSchedule', of) };
	}

	/** Another zone and other maxima; the first slot goes, and another comes. */
	function next({ timezone, time_slots, version }: Schedule, change: Partial<ReplaceSchedule> = {}): ReplaceSchedule {
		const max_bookings = time_slots[0]!.max_bookings + 100;
		return {
			timezone: ZONES[(ZONES.indexOf(timezone as 'Europe/Berlin') + 1) % ZONES.length]!,
			time_slots: [...time_slots.slice(1).map((each) => ({ ...each, max_bookings })), slot({ max_bookings })],
			rules: { min_notice_minutes: max_bookings },
			version,
			...change,
		};
	}

	/** What tells one schedule from another, as a reader saw it. */
	const sign = (timezone: string, notice: number | null, found: { id: number; max_bookings: number }[]) =>
		JSON.stringify([timezone, notice, found.map(({ id, max_bookings }) => [id, max_bookings])]);

	const signOf = ({ timezone, rules, time_slots }: Schedule) => sign(timezone, rules.min_notice_minutes, time_slots);

	/** Every way to read slots with their service. `ids`: of all slots that ever were. */
	async function signs(catalog: Catalog, of: Owned, ids: number[]): Promise<string[]> {
		const schedule = await catalog.call('getSchedule', of);
		const now = await catalog.call('slots', { slots: ids.map((id) => ({ ...of, time_slot_id: id })) });
		const there = now.flatMap((found) => (found === null ? [] : [found]));
		const zones = new Set(there.map(({ timezone }) => timezone));
		expect(zones.size).toBe(1);
		const { occurrences, timezone, rules } = await catalog.call('occurrences', { ...of, ...EVERY_DATE });
		const byId = occurrences
			.map(({ time_slot_id: id, max_bookings }) => ({ id, max_bookings }))
			.sort((a, b) => a.id - b.id);
		const single = there.map((found) => found.slot);
		return [
			signOf(schedule),
			sign(there[0]!.timezone, there[0]!.rules.min_notice_minutes, single),
			sign(timezone, rules.min_notice_minutes, byId),
		];
	}

	test('S2: When a process dies at any write of a replacement, then every reader sees all of it or nothing, and it can be replaced again', async () => {
		const outcomes: string[] = [];
		for (const [nth, when] of deaths()) {
			const { first, ...of } = await newSchedule(4);
			const body = next(first);
			const ids = [...first.time_slots.map(({ id }) => id)];
			if (!(await world.callAndDie('replaceSchedule', { ...of, body }, nth, when))) break;
			// Whoever reads first may carry it out. Here that is whoever asks for slots by their ids, as a creation does.
			const asked = ids.map((id) => ({ ...of, time_slot_id: id }));
			const atFirst = (await world.catalogs[1]!.call('slots', { slots: asked })).filter((found) => found !== null);
			const now = await world.catalog.call('getSchedule', of);
			const { timezone, rules, time_slots } = now;
			expect(atFirst.map(({ slot: { id, max_bookings } }) => ({ id, max_bookings }))).toEqual(
				time_slots.filter(({ id }) => ids.includes(id)).map(({ id, max_bookings }) => ({ id, max_bookings })),
			);
			for (const found of atFirst) expect(found).toMatchObject({ timezone, rules });
			const known = [...new Set([...ids, ...time_slots.map(({ id }) => id)])];
			expect([...new Set(await signs(world.catalogs[1]!, of, known))]).toEqual([signOf(now)]);
			outcomes.push(now.version === first.version ? 'as before' : 'replaced');
			if (now.version !== first.version) {
				expect(now).toMatchObject({ version: first.version + 1, timezone: body.timezone, rules: body.rules });
				expect(now.time_slots.slice(0, 3)).toMatchObject(
					body.time_slots.slice(0, 3).map(({ id, max_bookings }) => ({ id, max_bookings })),
				);
			}
			const again = await world.catalogs[2]!.call('replaceSchedule', { ...of, body: next(now) });
			expect(again.version).toBe(now.version + 1);
		}
		expect(new Set(outcomes)).toEqual(new Set(['as before', 'replaced']));
		// Before it; the account's document, the beginning, ids, the commit; then the new slot, each change, the generation, the ends.
		expect(outcomes.length).toBeGreaterThanOrEqual(13);
	});

	test('S2: When a process died behind the commit, then the sweep and a process that starts carry it out', async () => {
		for (const rescue of [
			() => new Sweep(world.records, world.catalog.broker).run(),
			async () => void (await world.startCatalog()),
		]) {
			const { first, ...of } = await newSchedule(3);
			expect(await world.callAndDie('replaceSchedule', { ...of, body: next(first) }, 3, 'after')).toBe(true);
			await rescue();
			const stored = await world.documents.slots.find(of, {}, { sort: { _id: 1 } }).lean<SlotDocument[]>();
			expect(stored.map(({ state }) => state)).toEqual(['retired', 'active', 'active', 'active']);
			const service = await world.documents.services.findOne({ _id: of.service_id, account_id: of.account_id }).lean();
			expect(service).toMatchObject({ unfinished: '', generation: stored[1]!.generation });
			expect(service!.replacement).toBeUndefined();
		}
	});

	test('S2: When several processes replace one schedule without a version, then each is whole, and readers see one of them', async () => {
		const { first, ...of } = await newSchedule(3);
		const sent = new Set([signOf(first)]);
		let isDone = false;
		const seen = new Set<string>();
		const readers = world.catalogs.slice(0, 3).map(async (catalog) => {
			while (!isDone) {
				const read = await unlessTooLate(catalog.call('getSchedule', of));
				if (read !== undefined) seen.add(signOf(read));
			}
		});
		await Promise.all(
			world.catalogs.slice(0, 3).map(async (catalog, index) => {
				for (let round = 0; round < 15; round++) {
					const now = await catalog.call('getSchedule', of);
					const body = next(now, { rules: { min_notice_minutes: 1000 * index + round } });
					const answer = await catalog.call('replaceSchedule', { ...of, body }).catch(() => undefined);
					if (answer !== undefined) sent.add(signOf(answer));
				}
			}),
		);
		isDone = true;
		await Promise.all(readers);
		expect([...seen].filter((one) => !sent.has(one))).toEqual([]);
		expect(sent.size).toBeGreaterThan(10);
	});

	test('S2: When two processes replace the same version at once, then one does', async () => {
		const { first, ...of } = await newSchedule(2);
		let now = first;
		for (let round = 0; round < rounds(20); round++) {
			const answers = await Promise.allSettled(
				[0, 1, 2].map((index) => {
					const body = next(now, { rules: { min_notice_minutes: index } });
					return index === 0
						? world.catalogs[index]!.call('replaceSchedule', {
								...of,
								body: { ...body, version: undefined },
								if_match: [now.version],
							})
						: world.catalogs[index]!.call('replaceSchedule', { ...of, body });
				}),
			);
			const done = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
			const refused = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason.type] : []));
			expect(done).toHaveLength(1);
			expect(refused.filter((type) => type !== 'version_conflict' && type !== 'version_mismatch')).toEqual([]);
			expect(done[0]!.version).toBe(now.version + 1);
			now = await world.catalog.call('getSchedule', of);
			expect(now).toEqual(done[0]);
		}
	});

	test('S2: When slots, overrides and the service are changed beside replacements, then each change is before one or behind it', async () => {
		const { first, ...of } = await newSchedule(4);
		const { account_id, service_id } = of;
		const kept = first.time_slots[3]!;
		const pause = () => delay(Math.random() * 40);
		const versions: number[] = [];
		const counts = { bulk: 0, overrides: 0 };
		let zone = first.timezone;
		let [zones, underWay] = [0, 6];
		const ended = () => void underWay--;
		const replacing = [0, 1].map(async (index) => {
			while (underWay > 2 || versions.length < 10) {
				const now = await world.catalogs[index]!.call('getSchedule', of);
				const [, ...others] = now.time_slots.filter(({ id }) => id !== kept.id);
				const time_slots = [...now.time_slots.filter(({ id }) => id === kept.id), ...others, slot()];
				const body = { timezone: now.timezone, rules: { min_notice_minutes: index }, time_slots, version: now.version };
				await world.catalogs[index]!.call('replaceSchedule', { ...of, body }).then(
					({ version }) => versions.push(version),
					(error) => expect(error.type).toBe('version_conflict'),
				);
			}
			ended();
		});
		const changes = Array.from({ length: rounds(40) }, (_, index) => index);
		await Promise.all([
			...replacing,
			(async () => {
				for (const more of changes) {
					const time_slots = [{ id: kept.id, max_bookings: kept.max_bookings + more + 1 }];
					await world.catalogs[2]!.call('updateSlots', { account_id, body: { time_slots } });
					counts.bulk++;
					await pause();
				}
				ended();
			})(),
			...[null, kept.id].map(async (time_slot_id) => {
				for (const _ of changes) {
					const body = { date_from: '2026-12-07', date_to: '2026-12-07', max_bookings: 3, time_slot_id };
					await world.catalogs[0]!.call('createOverride', { account_id, service_id, body });
					counts.overrides++;
					await pause();
				}
				ended();
			}),
			(async () => {
				for (const more of changes) {
					zone = ZONES[(more + 1) % ZONES.length]!;
					await world.catalogs[1]!.call('updateService', { account_id, service_id, body: { timezone: zone } });
					zones++;
					await pause();
				}
				ended();
			})(),
		]);
		const last = await world.catalog.call('getSchedule', of);
		expect(versions.length).toBeGreaterThan(5);
		expect(new Set(versions).size).toBe(versions.length);
		// Nothing undid anything, and each raised the version by one.
		expect(last.time_slots.find(({ id }) => id === kept.id)!.max_bookings).toBe(kept.max_bookings + changes.length);
		expect(last.timezone).toBe(zone);
		expect(last.version - first.version).toBe(versions.length + counts.bulk + counts.overrides + zones);
	});

	test('S2: When a service is deleted beside replacements of its schedule, then nothing of it is left', async () => {
		for (let round = 0; round < rounds(15); round++) {
			const { first, ...of } = await newSchedule(3);
			const replacing = world.catalogs[1]!.call('replaceSchedule', { ...of, body: next(first) }).catch(() => undefined);
			await world.catalogs[2]!.call('deleteService', of);
			await replacing;
			await new Sweep(world.records, world.catalog.broker).run();
			expect(await world.documents.slots.find({ ...of, state: { $ne: 'new' } }).lean()).toEqual([]);
			const list = { account_id: of.account_id, page: 1, page_size: 10, all: true };
			expect((await world.catalog.call('listSlots', list)).time_slots).toEqual([]);
			// The account can go on.
			const other = await newSchedule(1, of.account_id);
			await world.catalog.call('replaceSchedule', { ...of, service_id: other.service_id, body: next(other.first) });
		}
	});

	test('S2: When a bulk update comes while a replacement stands still before its commit, then the replacement is decided anew', async () => {
		const { first, ...of } = await newSchedule(2);
		const stands = Promise.withResolvers<void>();
		const goes = Promise.withResolvers<void>();
		let stopped = false;
		const commits = intercept(world.store, 'services', 'updateOne', async (run) => {
			const { $set } = commits.calls.at(-1)![1] as { $set?: { unfinished?: string } };
			if ($set?.unfinished !== 'replacing' || stopped) return run();
			stopped = true;
			stands.resolve();
			await goes.promise;
			return run();
		});
		try {
			const { account_id } = of;
			const [gone, stays] = first.time_slots;
			const body = next(first, { version: undefined as never });
			const replacing = world.catalogs[0]!.call('replaceSchedule', { ...of, body });
			await stands.promise;
			const change = {
				time_slots: [
					{ id: gone!.id, max_bookings: 55 },
					{ id: stays!.id, max_bookings: 55 },
				],
			};
			expect((await world.catalogs[1]!.call('updateSlots', { account_id, body: change })).time_slots).toHaveLength(2);
			goes.resolve();
			const done = await replacing;
			// As if it had come behind the bulk update, whose two changes it counts.
			expect(done.version).toBe(first.version + 3);
			expect(await world.catalogs[2]!.call('getSchedule', of)).toEqual(done);
		} finally {
			commits.undo();
		}
	});

	test('S2: When a process stands still while it carries a replacement out, then what it does later changes nothing', async () => {
		const { first, ...of } = await newSchedule(3);
		const stands = Promise.withResolvers<void>();
		const goes = Promise.withResolvers<void>();
		let stopped = false;
		const writes = intercept(world.store, 'time_slots', 'insertMany', async (run) => {
			if (stopped) return run();
			stopped = true;
			stands.resolve();
			await goes.promise;
			return run();
		});
		try {
			const late = world.catalogs[0]!.call('replaceSchedule', { ...of, body: next(first) });
			await stands.promise;
			const second = await world.catalogs[1]!.call('getSchedule', of);
			const third = await world.catalogs[2]!.call('replaceSchedule', {
				...of,
				body: next(second, { time_slots: second.time_slots.slice(0, 1) }),
			});
			goes.resolve();
			await late;
			expect(await world.catalogs[1]!.call('getSchedule', of)).toEqual(third);
			expect(
				await signs(
					world.catalogs[2]!,
					of,
					third.time_slots.map(({ id }) => id),
				),
			).toEqual(Array(3).fill(signOf(third)));
		} finally {
			writes.undo();
		}
	});

	/** The first write of this kind stands still until `goes` is resolved. */
	function standStill(collection: string, method: string, isIt: (change?: { $set?: object }) => boolean) {
		const stands = Promise.withResolvers<void>();
		const goes = Promise.withResolvers<void>();
		let stopped = false;
		const writes = intercept(world.store, collection, method, async (run) => {
			if (stopped || !isIt(writes.calls.at(-1)![1] as object | undefined)) return run();
			stopped = true;
			stands.resolve();
			await goes.promise;
			return run();
		});
		return { stands: stands.promise, go: () => goes.resolve(), undo: () => writes.undo() };
	}

	test('S2: When a service is deleted while its new slots stand still before they are written, then none of them is left', async () => {
		const { first, ...of } = await newSchedule(2);
		const adding = standStill('time_slots', 'insertMany', () => true);
		try {
			const late = world.catalogs[0]!.call('replaceSchedule', { ...of, body: next(first) }).catch(() => undefined);
			await adding.stands;
			await world.catalogs[1]!.call('deleteService', of);
			adding.go();
			await late;
			const list = { account_id: of.account_id, page: 1, page_size: 10, all: true };
			expect((await world.catalogs[2]!.call('listSlots', list)).time_slots).toEqual([]);
			const sweep = new Sweep(world.records, world.catalog.broker);
			await sweep.run();
			world.clock.advance(20_000);
			await sweep.run();
			expect(await world.documents.slots.find(of).lean()).toEqual([]);
		} finally {
			adding.undo();
		}
	});

	test('S2: When an override of a slot stands still before its write, and the slot is retired, then the override is refused', async () => {
		const { first, ...of } = await newSchedule(2);
		const [gone] = first.time_slots;
		const writing = standStill('services', 'updateOne', (change) => 'overrides' in (change?.$set ?? {}));
		try {
			const days = { date_from: '2026-12-07', date_to: '2026-12-07', max_bookings: 0, time_slot_id: gone!.id };
			const late = world.catalogs[0]!.call('createOverride', { ...of, body: days });
			await writing.stands;
			await world.catalogs[1]!.call('replaceSchedule', { ...of, body: next(first) });
			writing.go();
			await expect(late).rejects.toMatchObject({ type: 'time_slot_not_found' });
		} finally {
			writing.undo();
		}
	});

	const begins = (change?: { $set?: object }) => Boolean((change?.$set as { replacing?: number })?.replacing);
	const commits = (change?: { $set?: object }) => (change?.$set as { unfinished?: string })?.unfinished === 'replacing';

	test.each([
		['slots are changed before it begins', 'slot_updates', begins, 'updateSlots'],
		['an override is made before its commit', 'services', commits, 'createOverride'],
	] as const)(
		'S2: When %s, then a replacement of the version before is refused',
		async (_, collection, isIt, other) => {
			const { first, ...of } = await newSchedule(2);
			const standing = standStill(collection, 'updateOne', isIt);
			try {
				const late = world.catalogs[0]!.call('replaceSchedule', { ...of, body: next(first) });
				await standing.stands;
				const days = { date_from: '2026-12-07', date_to: '2026-12-07', max_bookings: 0 };
				const time_slots = [{ id: first.time_slots[1]!.id, max_bookings: 77 }];
				if (other === 'createOverride') await world.catalogs[1]!.call(other, { ...of, body: days });
				else await world.catalogs[1]!.call(other, { account_id: of.account_id, body: { time_slots } });
				standing.go();
				await expect(late).rejects.toMatchObject({ type: 'version_conflict' });
				expect(await world.catalogs[2]!.call('getSchedule', of)).toMatchObject({
					timezone: first.timezone,
					version: 2,
				});
			} finally {
				standing.undo();
			}
		},
	);

	test('S2: When a change of the zone stands still while slots are added, then both raise the version', async () => {
		const { first, ...of } = await newSchedule(1);
		const standing = standStill('services', 'updateOne', (change) => 'timezone' in (change?.$set ?? {}));
		try {
			const late = world.catalogs[0]!.call('updateService', { ...of, body: { timezone: 'Asia/Tokyo' } });
			await standing.stands;
			const body = { ...first, time_slots: [...first.time_slots, slot()] };
			expect((await world.catalogs[1]!.call('replaceSchedule', { ...of, body })).version).toBe(2);
			standing.go();
			await late;
			const last = await world.catalogs[2]!.call('getSchedule', of);
			expect([last.version, last.timezone, last.time_slots.length]).toEqual([3, 'Asia/Tokyo', 2]);
		} finally {
			standing.undo();
		}
	});

	test('S2: When a schedule is committed between two looks of a list, and not yet carried out, then slots and version are of one', async () => {
		const { first, ...of } = await newSchedule(2);
		const committing = standStill('services', 'updateOne', commits);
		const adding = standStill('time_slots', 'insertMany', () => true);
		try {
			const body = { ...next(first), timezone: first.timezone, rules: first.rules };
			const replacing = world.catalogs[0]!.call('replaceSchedule', { ...of, body });
			await committing.stands;
			const { slots } = world.records;
			const list = slots.list.bind(slots);
			slots.list = async (...asked) => {
				const read = await list(...asked);
				committing.go();
				await adding.stands;
				return read;
			};
			const seen = await getSchedule({ store: world.records } as never, of).finally(() =>
				Object.assign(slots, { list }),
			);
			adding.go();
			expect(seen).toEqual(await replacing);
		} finally {
			committing.undo();
			adding.undo();
		}
	});

	test('S2: When a replacement is half carried out, then the list of all slots shows it whole', async () => {
		const { first, ...of } = await newSchedule(3);
		let changes = 0;
		const changing = standStill('time_slots', 'updateOne', () => ++changes === 2);
		try {
			const replacing = world.catalogs[0]!.call('replaceSchedule', { ...of, body: next(first) });
			await changing.stands;
			const all = { account_id: of.account_id, page: 1, page_size: 10, all: true };
			const { time_slots } = await world.catalogs[1]!.call('listSlots', all);
			changing.go();
			expect(time_slots).toEqual((await replacing).time_slots);
		} finally {
			changing.undo();
		}
	});

	test('S2: When a schedule is replaced while a slot is read, then slot and service are of one of both', async () => {
		const { first, ...of } = await newSchedule(2);
		const [, stays] = first.time_slots;
		const body = next(first);
		const [now] = await findSlots(
			between(world.records, async () => {
				await world.catalogs[1]!.call('replaceSchedule', { ...of, body });
			}),
			[{ ...of, time_slot_id: stays!.id }],
		);
		expect([now!.timezone, now!.slot.max_bookings]).toEqual([body.timezone, body.time_slots[0]!.max_bookings]);
	});

	test('S2: When the schedules of several services are read as one list, then each is whole', async () => {
		const { first, ...of } = await newSchedule(3);
		const { account_id } = of;
		await newSchedule(3, account_id);
		const sent = new Set([signOf(first)]);
		const signOfList = (list: Schedule['time_slots']) =>
			JSON.stringify(list.map(({ id, max_bookings }) => [id, max_bookings]));
		const whole = new Set([signOfList(first.time_slots)]);
		const seen = new Set<string>();
		let reads = 0;
		let isDone = false;
		const readers = [1, 2].map(async (index) => {
			while (!isDone) {
				const all = { account_id, page: 1, page_size: 100, all: true };
				const list = await unlessTooLate(world.catalogs[index]!.call('listSlots', all));
				if (list === undefined) continue;
				const { time_slots } = list;
				reads++;
				seen.add(signOfList(time_slots.filter(({ service_id }) => service_id === of.service_id)));
			}
		});
		let now = first;
		for (let round = 0; round < 30; round++) {
			now = await world.catalogs[0]!.call('replaceSchedule', { ...of, body: next(now) });
			sent.add(signOf(now));
			whole.add(signOfList(now.time_slots));
			// A read begins anew where a schedule is replaced meanwhile: on a slow machine none would end in between.
			if (round % 5 === 4) await until(() => reads > 3 * (round / 5));
		}
		isDone = true;
		await Promise.all(readers);
		expect([...seen].filter((one) => !whole.has(one))).toEqual([]);
		expect(seen.size).toBeGreaterThan(3);
	});
});
