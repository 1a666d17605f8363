import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { faultsOf, GRACE_PERIOD } from '../../services/booking/audit/faults.ts';
import type { BookingDocument } from '../../services/booking/document/booking.model.ts';
import { BookingStore } from '../../services/booking/document/booking-store.ts';
import { fence, isFence } from '../../services/booking/document/states.ts';
import { systemClock, timestamp } from '../../shared/engine/clock.ts';
import { ACCOUNT, MONDAY, onBothStores, World } from './engines.ts';

onBothStores('a repair by the audit', (form) => {
	let world: World;
	let store: BookingStore;
	beforeAll(async () => {
		world = await World.start(form, 1);
		world.logIsDown = true; // outboxes stay as they are
		store = new BookingStore(world.store.connection, systemClock);
	});
	afterAll(() => world.stop());

	const stored = (_id: number) =>
		world.bookings.findOne({ _id, account_id: ACCOUNT }).lean<BookingDocument>() as Promise<BookingDocument>;

	async function made(customer: { customer_email?: string } = {}): Promise<BookingDocument> {
		const body = { date: MONDAY, time_slot_id: world.addSlot(5).id, ...customer };
		return stored((await world.engines[0]!.call('create', { body })).data.id);
	}

	test('When a repair lands after another one of the same booking, then it changes nothing', async () => {
		const before = await made();
		const after = await store.repair(before, { listed_under: 1 });
		expect(after).toEqual(await stored(before._id));
		expect(after).toMatchObject({ version: before.version, updated_at: before.updated_at, listed_under: 1 });
		expect(await store.repair(before, { listed_under: 2 })).toBeNull();
		expect(await store.repair(after!, { listed_under: 3 })).toMatchObject({ listed_under: 3 });
		expect(await stored(before._id)).toMatchObject({ listed_under: 3 });
	});

	test('When a fence is repaired, then it still is one', async () => {
		const booking = fence({ ...(await made()), _id: 1_000_000 }, timestamp(systemClock.now()));
		await world.bookings.insertMany([booking], { lean: true });
		expect(await store.repair(booking, { listed_under: 0 })).not.toBeNull();
		expect(isFence(await stored(booking._id))).toBe(true);
	});

	test('When a booking keeps its customer’s place while it is erased, then nothing is found, but what keeps it for longer is', async () => {
		const { _id } = await made({ customer_email: 'a@example.com' });
		const person = { kind: 'email' as const, value: 'a@example.com' };
		const now = systemClock.now();
		expect(await store.persons.erase(await stored(_id), person, now)).toBe(true);
		const found = async (at: number) =>
			faultsOf(await stored(_id), false, at, 0).filter(({ kind }) => kind === 'wrong_keys');
		expect(await found(now + GRACE_PERIOD)).toEqual([]);
		expect(await found(now + GRACE_PERIOD + 1_000)).toHaveLength(1);
		expect(await store.persons.release(await stored(_id))).toBe(true);
		expect(await found(now + GRACE_PERIOD + 1_000)).toEqual([]);
	});
});
