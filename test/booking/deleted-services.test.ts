import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { BookingStore } from '../../services/booking/document/booking-store.ts';
import { systemClock } from '../../shared/engine/clock.ts';
import { ACCOUNT, MONDAY, onBothStores, World } from './engines.ts';

onBothStores('what the deletion of a service leaves behind', (form) => {
	let world: World;
	let store: BookingStore;

	beforeAll(async () => {
		world = await World.start(form, 1);
		store = new BookingStore(world.store.connection, systemClock);
	});
	afterAll(() => world.stop());

	const booked = async (time_slot_id: number) =>
		(await world.engines[0]!.call('create', { body: { date: MONDAY, time_slot_id } })).data;
	const stored = (_id: number) => world.bookings.findOne({ _id, account_id: ACCOUNT }).lean();

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
});
