import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { BookingStore } from '../../services/booking/document/booking-store.ts';
import type { TimeSlot } from '../../shared/contract/schemas/time-slot.ts';
import { systemClock } from '../../shared/engine/clock.ts';
import { ACCOUNT, type Engine, MONDAY, NEXT_MONDAY, onBothStores, outcome, tally, World } from './engines.ts';

/** More bookings of one occurrence than are read for each batch */
const CROWD = 300;
const ROOM = 40;

onBothStores('an occurrence with many bookings', (form) => {
	let world: World;
	let store: BookingStore;
	const any = (): Engine => world.engines[Math.floor(Math.random() * world.engines.length)]!;
	const book = (slot: TimeSlot, more: Record<string, unknown> = {}, date = MONDAY) =>
		any().call('create', { body: { date, time_slot_id: slot.id, ...more } });
	const occurrence = (slot: TimeSlot) => ({ account_id: ACCOUNT, time_slot_id: slot.id, date: MONDAY });
	const together = (count: number, act: (n: number) => Promise<unknown>) =>
		Promise.all(Array.from({ length: count }, (_, n) => outcome(act(n))));

	/** A slot with so many bookings on its Monday. @returns also their ids */
	async function crowded(max_bookings: number): Promise<{ slot: TimeSlot; ids: number[] }> {
		const slot = world.addSlot(max_bookings);
		const made = await Promise.all(
			Array.from({ length: CROWD }, (_, n) => book(slot, { customer_email: `c${n}@x.org` })),
		);
		return { slot, ids: made.map(({ data }) => data.id) };
	}

	beforeAll(async () => {
		world = await World.start(form, 3);
		store = new BookingStore(world.store.connection, systemClock);
	});
	afterAll(() => world.stop());

	test('L1: When more want a seat than there are left, in three processes without the lock, then exactly those are given', async () => {
		const { slot } = await crowded(CROWD + ROOM);
		expect(await store.occupants(occurrence(slot))).toBeUndefined();
		expect(tally(await together(3 * ROOM, () => book(slot)))).toEqual({ ok: ROOM, 'time slot is full': 2 * ROOM });
		expect(await world.active(slot)).toBe(CROWD + ROOM);
	});

	test('When there is room for far more, then each who wants a seat gets one, and a customer gets one only', async () => {
		const { slot } = await crowded(10_000);
		const outcomes = await together(4 * ROOM, (n) =>
			book(slot, { customer_email: n % 2 ? `C${n}@x.org` : `new${n}@x.org` }),
		);
		expect(tally(outcomes)).toEqual({ ok: 2 * ROOM, 'duplicate booking': 2 * ROOM });
		expect(await world.active(slot)).toBe(CROWD + 2 * ROOM);
	});

	test('L8: When the maximum was lowered under what is booked, then none is given until enough are gone, and then no more', async () => {
		const { slot, ids } = await crowded(10_000);
		slot.max_bookings = CROWD - 10;
		expect(tally(await together(ROOM, () => book(slot)))).toEqual({ 'time slot is full': ROOM });
		await Promise.all(ids.slice(0, 15).map((booking_id) => any().call('delete', { booking_id })));
		expect(tally(await together(ROOM, () => book(slot)))).toEqual({ ok: 5, 'time slot is full': ROOM - 5 });
		expect(await world.active(slot)).toBe(CROWD - 10);
	});

	test('L8: When of the seats above a lowered maximum only the first is held, then not each free seat below it is given', async () => {
		const { slot, ids } = await crowded(CROWD);
		const engine = world.engines[0]!;
		slot.max_bookings = CROWD - 1;
		const create = () => outcome(engine.call('create', { body: { date: MONDAY, time_slot_id: slot.id } }));
		expect(await create()).toBe('time slot is full'); // from now on it knows the crowd, and hears of seats that are free
		const above = await world.bookings.findOne({ account_id: ACCOUNT, place: `${slot.id}:${MONDAY}`, seat: CROWD - 1 });
		const gone = ids.filter((id) => id !== above!._id).slice(0, 10);
		for (const booking_id of gone) await engine.call('delete', { booking_id });
		const outcomes = [];
		for (const _ of gone) outcomes.push(await create());
		expect(tally(outcomes)).toEqual({ ok: 9, 'time slot is full': 1 });
		expect(await world.active(slot)).toBe(CROWD - 1);
	});

	test('When bookings are moved into it, then they are claims like others, and one that is there already is not moved again', async () => {
		const { slot } = await crowded(CROWD + 10);
		const moved = await Promise.all(Array.from({ length: 20 }, () => book(slot, {}, NEXT_MONDAY)));
		const move = (n: number) => any().call('update', { booking_id: moved[n % 20]!.data.id, body: { date: MONDAY } });
		const outcomes = tally(await together(20, move));
		expect(outcomes).toEqual({ ok: 10, 'time slot is full': 10 });
		expect(await world.active(slot)).toBe(CROWD + 10);
		expect(await world.active(slot, NEXT_MONDAY)).toBe(10);
	});
});
