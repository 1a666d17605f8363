import { afterAll, afterEach, beforeAll, beforeEach, expect, jest, test } from '@jest/globals';
import type { BookingDocument } from '../../services/booking/document/booking.model.ts';
import { BookingLists } from '../../services/booking/document/booking-lists.ts';
import { RetentionSweeper } from '../../services/booking/retention/retention-sweeper.ts';
import { SKEW, systemClock } from '../../shared/engine/clock.ts';
import { until } from '../support/until.ts';
import { ACCOUNT, MONDAY, NEXT_MONDAY, onBothStores, World } from './engines.ts';

const DAYS = 30;
const KEPT = DAYS * 24 * 3_600_000 + SKEW; // ms
/** When what is booked on MONDAY ends, in Berlin */
const END = Date.parse('2026-11-23T09:00:00Z');

onBothStores('Bookings that ended longer ago than they are kept', (form) => {
	let world: World;
	const sweepers: RetentionSweeper[] = [];

	beforeAll(async () => {
		const start = jest.spyOn(RetentionSweeper.prototype, 'start').mockImplementation(function (this: RetentionSweeper) {
			sweepers.push(this);
		});
		world = await World.start(form, 3);
		start.mockRestore();
	});
	afterAll(() => world.stop());
	beforeEach(() => {
		world.retentionDays = DAYS;
	});
	afterEach(() => {
		jest.restoreAllMocks();
	});

	const [one, two] = [() => world.engines[0]!, () => world.engines[1]!];
	const book = async (slot: { id: number }, more: Record<string, unknown> = {}) =>
		(await one().call('create', { body: { date: MONDAY, time_slot_id: slot.id, ...more } })).data;
	const at = (moment: number) => jest.spyOn(systemClock, 'now').mockReturnValue(moment);
	const thoseOf = (slot: { id: number }) =>
		world.bookings.find({ account_id: ACCOUNT, time_slot_id: slot.id, deleted_at: null }).lean<BookingDocument[]>();
	const told = (ids: number[]) =>
		world.events.filter(({ type, data }) => type === 'booking.deleted' && ids.includes((data as { id: number }).id));
	/** Turns until a round is over, for a turn ends with it. */
	const sweep = async (index = 0) => sweepers[index]!.turn();

	test('C4: When a booking ended exactly as long ago as it is kept, then it stays, and a millisecond later it goes', async () => {
		const slot = world.addSlot(10);
		const bookings = [await book(slot), await book(slot), await book(slot, { customer_email: 'ada@example.com' })];
		const [confirmed, cancelled] = bookings.map(({ id }) => id);
		await one().call('update', { booking_id: confirmed!, body: { status: 'confirmed' } });
		await one().call('update', { booking_id: cancelled!, body: { status: 'cancelled', cancel_reason: 'ill' } });
		const younger = await book(slot, { date: NEXT_MONDAY });
		at(END + KEPT);
		await sweep();
		expect(await thoseOf(slot)).toHaveLength(4);
		at(END + KEPT + 1);
		const before = sweepers[0]!.removed;
		await sweep();
		expect((await thoseOf(slot)).map(({ _id }) => _id)).toEqual([younger.id]);
		expect(sweepers[0]!.removed - before).toBe(3);
		expect(await world.active(slot)).toBe(0);
		const events = told(bookings.map(({ id }) => id));
		expect(events).toHaveLength(3);
		for (const { previous } of events) expect(previous).toEqual({});
		const gone = one().call('get', { booking_id: confirmed! });
		await expect(gone).rejects.toThrow('booking not found');
		await expect(two().call('delete', { booking_id: confirmed! })).rejects.toThrow('booking not found');
	});

	test('C4: When three processes sweep at once, then each booking is removed and told of once', async () => {
		const slot = world.addSlot(500);
		const ids = await Promise.all(Array.from({ length: 350 }, async () => (await book(slot)).id));
		at(END + KEPT + 1);
		const before = sweepers.map(({ removed }) => removed);
		await Promise.all(sweepers.map((_, index) => sweep(index)));
		expect(await thoseOf(slot)).toEqual([]);
		const removed = sweepers.map((one, index) => one.removed - before[index]!);
		expect(removed.reduce((sum, count) => sum + count, 0)).toBe(350);
		jest.restoreAllMocks();
		await until(() => told(ids).length >= 350, { what: 'the events' });
		expect(new Set(told(ids).map(({ id }) => id)).size).toBe(350);
		expect(told(ids)).toHaveLength(350);
	});

	test('C4: When the retention is taken away, or was never set, then nothing is removed, also in the middle of a round', async () => {
		const slot = world.addSlot(500);
		await Promise.all(Array.from({ length: 150 }, () => book(slot)));
		at(END + KEPT + 1);
		world.retentionDays = null;
		await sweep();
		expect(await thoseOf(slot)).toHaveLength(150);
		world.retentionDays = DAYS;
		const original = BookingLists.prototype.between;
		const read = jest.spyOn(BookingLists.prototype, 'between').mockImplementation(async function (
			this: BookingLists,
			...args
		) {
			const page = await original.apply(this, args);
			if (page.length > 0) world.retentionDays = null;
			return page;
		});
		await sweep();
		expect(await thoseOf(slot)).toHaveLength(50);
		read.mockRestore();
		world.retentionDays = DAYS + 1;
		await sweep();
		expect(await thoseOf(slot)).toHaveLength(50);
		world.retentionDays = DAYS;
		await sweep();
		expect(await thoseOf(slot)).toEqual([]);
	});

	test('C4: When a booking is moved after the sweep has read it, then it stays', async () => {
		const slot = world.addSlot(2);
		const { id } = await book(slot);
		at(END + KEPT + 1);
		const original = BookingLists.prototype.between;
		jest.spyOn(BookingLists.prototype, 'between').mockImplementation(async function (this: BookingLists, ...args) {
			const page = await original.apply(this, args);
			if (page.some(({ _id }) => _id === id))
				await two().call('update', { booking_id: id, body: { date: NEXT_MONDAY } });
			return page;
		});
		await sweep();
		expect((await thoseOf(slot)).map(({ _id, date }) => [_id, date])).toEqual([[id, NEXT_MONDAY]]);
	});

	test('C4: When thousands began long ago and have not ended, then a turn reads so many, and the next one goes on', async () => {
		const long = world.addSlot(10_000);
		const { id } = await book(long);
		const template = (await thoseOf(long))[0]!;
		const lasting = Array.from({ length: 5_100 }, (_, index) => ({
			...template,
			_id: 1_000_000 + index,
			customer_key: `lasting:${index}`,
			seat: 10_000 + index,
			starts_ms: template.starts_ms! - 1,
			promised: { ...template.promised!, ends_at: '2999-01-01T00:00:00.000Z' },
			outbox: [],
			relay_at: 0,
		}));
		for (let from = 0; from < lasting.length; from += 1_000) {
			await world.bookings.insertMany(lasting.slice(from, from + 1_000), { lean: true });
		}
		at(END + KEPT + 1);
		await sweep(2); // what other services have
		const original = BookingLists.prototype.between;
		const readsOfTurns: number[] = [];
		try {
			BookingLists.prototype.between = function (...args) {
				readsOfTurns[readsOfTurns.length - 1]!++;
				return original.apply(this, args);
			};
			for (let turn = 0; turn < 4; turn++) {
				readsOfTurns.push(0);
				await sweep(2);
			}
		} finally {
			BookingLists.prototype.between = original;
		}
		expect(Math.max(...readsOfTurns)).toBe(50);
		expect(await world.bookings.exists({ _id: id, account_id: ACCOUNT, deleted_at: null })).toBeNull();
		expect(await thoseOf(long)).toHaveLength(5_100);
	});
});
