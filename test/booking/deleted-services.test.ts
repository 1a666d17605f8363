import { afterAll, afterEach, beforeAll, expect, jest, test } from '@jest/globals';
import { BookingStore } from '../../services/booking/document/booking-store.ts';
import { Closures } from '../../services/booking/document/closures.ts';
import type { TimeSlot } from '../../shared/contract/schemas/time-slot.ts';
import { systemClock } from '../../shared/engine/clock.ts';
import { until } from '../support/until.ts';
import { ACCOUNT, type Engine, MONDAY, onBothStores, outcome, World } from './engines.ts';

type Insert = () => ReturnType<BookingStore['insert']>;

onBothStores('what the deletion of a service leaves behind', (form) => {
	let world: World;
	let store: BookingStore;

	beforeAll(async () => {
		world = await World.start(form, 2);
		store = new BookingStore(world.store.connection, systemClock);
	});
	afterEach(() => {
		jest.restoreAllMocks();
		world.quotaLeft = Number.POSITIVE_INFINITY;
	});
	afterAll(() => world.stop());

	const booked = async (time_slot_id: number) =>
		(await world.engines[0]!.call('create', { body: { date: MONDAY, time_slot_id } })).data;
	const stored = (_id: number) => world.bookings.findOne({ _id, account_id: ACCOUNT }).lean();
	const bookingOf = async (slot: TimeSlot) =>
		(await world.bookings.findOne({ account_id: ACCOUNT, time_slot_id: slot.id }).lean())!;
	const close = (slot: TimeSlot) =>
		world.engines[1]!.call('closeService', { service_id: slot.service_id, slots: [slot], timezone: 'UTC' });

	/** What another process does around the next insert of a booking. */
	function aroundNextInsert(around: (insert: Insert) => ReturnType<Insert>): void {
		const { insert } = BookingStore.prototype;
		jest.spyOn(BookingStore.prototype, 'insert').mockImplementationOnce(function (this: BookingStore, ...given) {
			return around(() => insert.apply(this, given));
		});
	}

	/** Books a slot whose service is deleted as the booking is on its way to the store. */
	function bookTooLate(slot: TimeSlot, more: Record<string, unknown> = {}): Promise<string> {
		aroundNextInsert(async (insert) => {
			await close(slot);
			return insert();
		});
		return outcome(world.engines[0]!.call('create', { body: { date: MONDAY, time_slot_id: slot.id }, ...more }));
	}

	test('When a booking moved to another service after it was found, then it stays, and those that did not go', async () => {
		const [here, there] = [world.addSlot(2), world.addSlot(1)];
		const [stayed, moved] = [await booked(here.id), await booked(there.id)];
		await store.all.deleteWithService(here.service_id, [stayed.id, moved.id], Date.now());
		expect([(await stored(stayed.id))!.deleted_at, (await stored(moved.id))!.deleted_at]).toEqual([
			expect.any(String),
			null,
		]);
	});

	test('When a service is marked again, as after a lost answer, then the first mark stays', async () => {
		const { service_id, ...slot } = world.addSlot(1);
		const mark = (closed_at: string) =>
			store.closures.mark({ _id: service_id, account_id: ACCOUNT, slots: [{ service_id, ...slot }], closed_at });
		await mark('2026-01-01T00:00:00.000Z');
		await mark('2026-01-02T00:00:00.000Z');
		expect(await store.closures.ofServices([service_id])).toMatchObject([{ closed_at: '2026-01-01T00:00:00.000Z' }]);
		expect(await store.closures.isClosed(ACCOUNT, service_id)).toBe(true);
	});

	test('When a booking moved away before its service was deleted, and its creation is answered after that, then it is acknowledged, and stays', async () => {
		const [here, there] = [world.addSlot(1), world.addSlot(1)];
		aroundNextInsert(async (insert) => {
			const written = await insert();
			const body = { time_slot_id: there.id };
			await world.engines[1]!.call('update', { booking_id: (await bookingOf(here))._id, body });
			await close(here);
			return written;
		});
		expect(await outcome(booked(here.id))).toBe('ok');
		expect(await bookingOf(there)).toMatchObject({ service_id: there.service_id, deleted_at: null });
	});

	test('X2: When a service is deleted while it is booked, then the booking was made and goes with it: acknowledged, told of and counted', async () => {
		const open = world.addSlot(2);
		world.quotaLeft = 3;
		const late = [world.addSlot(1), world.addSlot(1)] as const;
		expect(await bookTooLate(late[0])).toBe('ok');
		expect(await bookTooLate(late[1], { idempotency: { key: 'k', fingerprint: 'f' } })).toBe('ok');
		for (const slot of late) {
			const { _id, deleted_at } = await bookingOf(slot);
			expect(deleted_at).toEqual(expect.any(String));
			await until(async () => (await stored(_id))!.relay_at <= 0, { what: 'the delivery' });
			const told = world.events.filter(({ data }) => data.id === _id);
			expect(told.map(({ type }) => type)).toEqual(['booking.created', 'booking.deleted']);
		}
		const more = [await outcome(booked(open.id)), await outcome(booked(open.id))];
		expect(more).toEqual(['ok', 'rate limit exceeded']); // counted: two of three are used
	});

	test('When a process dies before it looks for the mark, then the sweep deletes its booking, and tells of both', async () => {
		const slot = world.addSlot(1);
		jest.spyOn(Closures.prototype, 'isClosed').mockRejectedValueOnce(new Error('the process dies'));
		expect(await bookTooLate(slot)).toBe('internal error'); // nobody hears it
		const { _id } = await bookingOf(slot);
		await until(async () => (await stored(_id))!.relay_at <= 0, { what: 'the delivery' });
		expect((await stored(_id))!.deleted_at).toEqual(expect.any(String));
		const told = world.events.filter(({ data }) => data.id === _id);
		expect(told.map(({ type }) => type)).toEqual(['booking.created', 'booking.deleted']);
	});

	test('When a process dies after the mark, and a booking that is still there is changed, then who was told that it is gone finds that it stays gone', async () => {
		const [slot, elsewhere] = [world.addSlot(1), world.addSlot(1)];
		const { id: booking_id } = await booked(slot.id);
		await until(async () => (await stored(booking_id))!.relay_at <= 0, { what: 'the delivery' });
		await store.closures.mark({
			_id: slot.service_id,
			account_id: ACCOUNT,
			slots: [slot],
			timezone: 'UTC',
			closed_at: '2026-01-01T00:00:00.000Z',
		});
		const [first, second] = world.engines as [Engine, Engine];
		const log = Promise.withResolvers<void>();
		world.slowLog = log.promise;
		expect(await outcome(first.call('update', { booking_id, body: { message: 'changed' } }))).toBe('ok');
		const told = [await outcome(second.call('get', { booking_id }))];
		world.slowLog = undefined;
		log.resolve();
		await until(async () => (await stored(booking_id))!.relay_at <= 0, { what: 'the delivery' });
		told.push(await outcome(second.call('get', { booking_id })));
		told.push(await outcome(second.call('update', { booking_id, body: { time_slot_id: elsewhere.id } })));
		expect(told).toEqual(Array(3).fill('booking not found'));
	});
});
