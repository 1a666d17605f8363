import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { BookingStore } from '../../services/booking/document/booking-store.ts';
import { TOMBSTONE } from '../../services/booking/document/states.ts';
import { systemClock } from '../../shared/engine/clock.ts';
import { until } from '../support/until.ts';
import { ACCOUNT, MONDAY, onBothStores, World } from './engines.ts';

const HOUR = 3_600_000;

onBothStores('what is left of a deleted booking', (form) => {
	let world: World;

	beforeAll(async () => {
		world = await World.start(form, 1);
	});
	afterAll(() => world.stop());

	const stored = (_id: number) => world.bookings.findOne({ _id, account_id: ACCOUNT }).lean();

	/** A booking that was deleted so many hours ago, made under a key that was used so many hours ago. */
	async function deleted(hours: number, key?: number): Promise<number> {
		const [engine] = world.engines;
		const body = { date: MONDAY, time_slot_id: world.addSlot(1).id, customer_email: `gone${hours}-${key}@example.com` };
		const idempotency = { key: `key ${hours} ${key}`, fingerprint: 'f' };
		const { data } = await engine!.call('create', { body, ...(key !== undefined && { idempotency }) });
		await engine!.call('delete', { booking_id: data.id });
		await until(async () => (await stored(data.id))!.relay_at === TOMBSTONE);
		const ago = (count: number) => Date.now() - count * HOUR;
		const $set = {
			deleted_at: new Date(ago(hours)).toISOString(),
			...(key !== undefined && { 'idempotency.at': ago(key) }),
		};
		await world.bookings.updateOne({ _id: data.id, account_id: ACCOUNT }, { $set });
		return data.id;
	}

	test('C3: When its event is in the log, then it tells of no person, but for a first answer that is kept', async () => {
		const [plain, keyed] = [(await stored(await deleted(0)))!, (await stored(await deleted(0, 0)))!];
		expect(JSON.stringify(plain)).not.toContain('@example.com');
		const { idempotency, ...rest } = keyed;
		expect(idempotency!.answer.customer.email).toBe('gone0-0@example.com');
		expect(JSON.stringify(rest)).not.toContain('@example.com');
	});

	test('C3: When a first answer is 24 h old, then it goes with the booking, which nothing keeps for longer than an hour', async () => {
		const kept = await Promise.all([deleted(0.5), deleted(2, 23), deleted(0.5, 30), deleted(30, 23)]);
		const gone = await Promise.all([deleted(2), deleted(2, 30), deleted(30, 30)]);
		const { all } = new BookingStore(world.store.connection, systemClock);
		const now = Date.now();
		await all.removeTombstones(now - HOUR, now - 24 * HOUR);
		await all.removeTombstones(now - HOUR);
		const there = await Promise.all([...kept, ...gone].map(async (id) => (await stored(id)) !== null));
		expect(there).toEqual([true, true, true, true, false, false, false]);
	});
});
