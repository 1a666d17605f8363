import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { secondsLeftOfMonth } from '../../shared/calendar/plain-date.ts';
import type { ApiError } from '../../shared/contract/errors.ts';
import { until } from '../support/until.ts';
import { ACCOUNT, type Engine, MONDAY, NEXT_MONDAY, onBothStores, outcome, tally, World } from './engines.ts';

onBothStores('booking in several processes without the lock', (form) => {
	let world: World;
	const any = (): Engine => world.engines[Math.floor(Math.random() * world.engines.length)]!;
	const book = (time_slot_id: number, more: Record<string, unknown> = {}, date = MONDAY) =>
		any().call('create', { body: { date, time_slot_id, ...more } });

	beforeAll(async () => {
		world = await World.start(form, 3);
	});
	afterAll(() => world.stop());

	test.each([1, 2, 10, 100])('L1: When 300 want %i seats, then exactly as many get one', async (capacity) => {
		const slot = world.addSlot(capacity);
		const outcomes = await Promise.all(Array.from({ length: 300 }, () => outcome(book(slot.id))));
		expect(tally(outcomes)).toEqual({ ok: capacity, 'time slot is full': 300 - capacity });
		expect(await world.active(slot)).toBe(capacity);
	});

	test('When one customer books at once in three processes, then one booking is made', async () => {
		const slot = world.addSlot(50);
		const outcomes = await Promise.all(
			Array.from({ length: 60 }, (_, n) =>
				outcome(book(slot.id, { customer_email: n % 2 ? 'ada@x.org' : 'ADA@X.org' })),
			),
		);
		expect(tally(outcomes)).toEqual({ ok: 1, 'duplicate booking': 59 });
	});

	test('I2: When 100 requests come under one key for the last seat, then all get the first one’s answer', async () => {
		const slot = world.addSlot(1);
		const idempotency = { key: 'k', fingerprint: 'f' };
		const body = { date: MONDAY, time_slot_id: slot.id, customer_email: 'ada@x.org' };
		const answers = await Promise.all(Array.from({ length: 100 }, () => any().call('create', { body, idempotency })));
		expect(new Set(answers.map(({ data }) => JSON.stringify(data))).size).toBe(1);
		expect(answers.filter(({ replayed }) => !replayed)).toHaveLength(1);
		expect(await world.active(slot)).toBe(1);
	});

	test('I3: When a key comes with another request, then it is refused and nothing is written', async () => {
		const [first, second] = [world.addSlot(5), world.addSlot(5)];
		const request = (slot: number, fingerprint: string) =>
			outcome(
				any().call('create', {
					body: { date: MONDAY, time_slot_id: slot },
					idempotency: { key: 'other', fingerprint },
				}),
			);
		const outcomes = await Promise.all(
			Array.from({ length: 40 }, (_, n) => (n % 2 ? request(first.id, 'f1') : request(second.id, 'f2'))),
		);
		expect(tally(outcomes)).toEqual({ ok: 20, 'this Idempotency-Key was used for another request': 20 });
		expect((await world.active(first)) + (await world.active(second))).toBe(1);
	});

	test('L3: When bookings are cancelled, moved and taken back at random, then no date is ever over its maximum', async () => {
		const slot = world.addSlot(4);
		const ids = await Promise.all(Array.from({ length: 4 }, async () => (await book(slot.id)).data.id));
		ids.push(
			...(await Promise.all(Array.from({ length: 4 }, async () => (await book(slot.id, {}, NEXT_MONDAY)).data.id))),
		);
		const moves = Array.from({ length: 240 }, (_, n) => {
			const booking_id = ids[n % ids.length]!;
			const bodies = [
				{ status: 'cancelled', cancel_reason: 'no time' },
				{ status: 'pending' },
				{ date: n % 3 ? MONDAY : NEXT_MONDAY },
				{ status: 'confirmed', date: n % 3 ? NEXT_MONDAY : MONDAY },
			] as const;
			return outcome(any().call('update', { booking_id, body: bodies[Math.floor(Math.random() * bodies.length)]! }));
		});
		const outcomes = tally(await Promise.all(moves));
		expect(Object.keys(outcomes).filter((word) => !['ok', 'time slot is full'].includes(word))).toEqual([]);
		for (const date of [MONDAY, NEXT_MONDAY]) expect(await world.active(slot, date)).toBeLessThanOrEqual(4);
		const documents = await world.bookings.find({ account_id: ACCOUNT, time_slot_id: slot.id }).lean();
		for (const { status, place, date } of documents)
			expect(place).toBe(status === 'cancelled' ? '' : `${slot.id}:${date}`);
	});

	test('V2: When 200 changes of one booking come at once, then all are made, none is lost', async () => {
		const slot = world.addSlot(1);
		const { data } = await book(slot.id);
		const answers = await Promise.all(
			Array.from({ length: 200 }, (_, n) =>
				any().call('update', { booking_id: data.id, body: { message: `note ${n}` } }),
			),
		);
		expect(answers.map(({ version }) => version).sort((a, b) => a - b)).toEqual(
			Array.from({ length: 200 }, (_, n) => n + 2),
		);
	});

	test('V2: When moves and notes of one booking come at once, then all are made, none is lost', async () => {
		const slot = world.addSlot(1);
		const { data } = await book(slot.id);
		const answers = await Promise.all(
			Array.from({ length: 60 }, (_, n) => {
				const date = n % 4 === 0 ? NEXT_MONDAY : MONDAY;
				const body = { message: `note ${n}`, ...(n % 2 === 0 && { date }) };
				return any().call('update', { booking_id: data.id, body });
			}),
		);
		expect(answers.map(({ version }) => version).sort((a, b) => a - b)).toEqual(
			Array.from({ length: 60 }, (_, n) => n + 2),
		);
	});

	test('V2: When bookings are deleted and changed at once, then each whose deletion was answered is gone', async () => {
		const slot = world.addSlot(40);
		const made = await Promise.all(Array.from({ length: 40 }, () => book(slot.id)));
		await Promise.all(
			made.map(async ({ data: { id: booking_id } }) => {
				const change = (n: number) => any().call('update', { booking_id, body: { message: `note ${n}` } });
				const changes = [1, 2, 3].map((n) => outcome(change(n)));
				await any().call('delete', { booking_id });
				expect(Object.keys(tally(await Promise.all(changes))).filter((word) => !/ok|not found/.test(word))).toEqual([]);
			}),
		);
		expect(await world.active(slot)).toBe(0);
	});

	test('V2: When 50 changes name one version, then one is made', async () => {
		const slot = world.addSlot(1);
		const { data } = await book(slot.id);
		const change = (n: number) =>
			outcome(any().call('update', { booking_id: data.id, body: { message: `note ${n}` }, if_match: [1] }));
		const outcomes = await Promise.all(Array.from({ length: 50 }, (_, n) => change(n)));
		expect(tally(outcomes)).toEqual({ ok: 1, 'version conflict': 49 });
	});

	test('V3: When two confirm at once, then there is one event', async () => {
		const slot = world.addSlot(1);
		const { data } = await book(slot.id);
		const confirm = () => any().call('update', { booking_id: data.id, body: { status: 'confirmed' } });
		await Promise.all([confirm(), confirm()]);
		await until(async () => world.events.some(({ id }) => id === `evt_${data.id}_2`));
		const types = world.events.filter((event) => event.data.id === data.id).map(({ type }) => type);
		expect(types).toEqual(['booking.created', 'booking.confirmed']);
	});

	test('When the month’s quota ends, then it is never exceeded, and what was refused is not counted', async () => {
		const [wide, narrow] = [world.addSlot(1_000), world.addSlot(2)];
		const booked = async () => (await world.active(wide)) + (await world.active(narrow));
		world.quotaLeft = 25;
		await Promise.all(Array.from({ length: 100 }, (_, n) => outcome(book(n % 2 ? wide.id : narrow.id))));
		expect((await booked()) + world.quotaLeft).toBe(25);
		const later = tally(await Promise.all(Array.from({ length: 50 }, () => outcome(book(wide.id)))));
		expect(Object.keys(later).filter((word) => !['ok', 'rate limit exceeded'].includes(word))).toEqual([]);
		expect([await booked(), world.quotaLeft]).toEqual([25, 0]);
		const refusal: ApiError = await book(wide.id).catch((error) => error);
		expect(refusal).toMatchObject({ type: 'booking_rate_limit_exceeded', status: 429 });
		expect(Math.abs(refusal.retryAfter! - secondsLeftOfMonth(Date.now()))).toBeLessThan(600);
		world.quotaLeft = Number.POSITIVE_INFINITY;
	});

	test('When a service is closed while it is being booked, then nothing of it is left', async () => {
		const slot = world.addSlot(10_000, 77_000);
		const creating = Array.from({ length: 200 }, () => outcome(book(slot.id)));
		const closing = any().call('closeService', { service_id: 77_000, slots: [slot], timezone: 'UTC' });
		const outcomes = tally(await Promise.all(creating));
		await closing;
		expect(Object.keys(outcomes).filter((word) => !['ok', 'time slot not found'].includes(word))).toEqual([]);
		expect(await world.bookings.countDocuments({ account_id: ACCOUNT, service_id: 77_000, deleted_at: null })).toBe(0);
		const undelivered = { account_id: ACCOUNT, service_id: 77_000, relay_at: { $gt: 0 } };
		await until(async () => (await world.bookings.countDocuments(undelivered)) === 0);
		const events = world.events.filter((event) => event.data.service_id === 77_000);
		const ended = new Set(events.filter(({ type }) => type === 'booking.deleted').map(({ data }) => data.id));
		for (const { data } of events) expect(ended).toContain(data.id);
		expect(ended.size).toBeGreaterThanOrEqual(outcomes.ok ?? 0);
	});

	test('When a service is closed while bookings move into it, then each goes with it, or is told that its slot is gone', async () => {
		const [from, to] = [world.addSlot(60), world.addSlot(10_000, 78_000)];
		const made = await Promise.all(Array.from({ length: 60 }, () => book(from.id)));
		const moving = made.map(({ data }) =>
			outcome(any().call('update', { booking_id: data.id, body: { time_slot_id: to.id } })),
		);
		await any().call('closeService', { service_id: 78_000, slots: [to], timezone: 'UTC' });
		const outcomes = tally(await Promise.all(moving));
		expect(Object.keys(outcomes).filter((word) => !['ok', 'time slot not found'].includes(word))).toEqual([]);
		const there = { account_id: ACCOUNT, service_id: 78_000 };
		await until(async () => (await world.bookings.countDocuments({ ...there, relay_at: { $gt: 0 } })) === 0);
		expect(await world.bookings.countDocuments({ ...there, deleted_at: null })).toBe(0);
	});

	test('V1: When a change comes while an older reading is under way, then it is decided on what it may know of', async () => {
		const [here, there] = world.engines as [Engine, Engine];
		const { id: booking_id } = (await book(world.addSlot(1).id)).data;
		let release = () => {};
		world.slowCatalog = { engine: 0, until: new Promise((resolve) => (release = resolve)) };
		const asItIs = { booking_id, body: { status: 'pending' } } as const;
		const first = here.call('update', asItIs); // has read version 1, and waits for the slot
		await delay(50);
		await there.call('update', { booking_id, body: { message: 'changed elsewhere' } });
		const second = here.call('update', { ...asItIs, if_match: [2] });
		await delay(50);
		world.slowCatalog = undefined;
		release();
		expect((await first).version).toBeGreaterThanOrEqual(1);
		expect((await second).version).toBe(2);
	});
});
