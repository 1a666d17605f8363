import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { faultsOf } from '../../services/booking/audit/faults.ts';
import type { BookingDocument } from '../../services/booking/document/booking.model.ts';
import { until } from '../support/until.ts';
import { ACCOUNT, MONDAY, onBothStores, World } from './engines.ts';

const HOUR = 3_600_000; // ms

onBothStores('A clock that is ahead', (form) => {
	let world: World;
	beforeAll(async () => {
		world = await World.start(form, 1);
	});
	afterAll(() => world.stop());

	test('X4: When events were left by a process whose clock was an hour ahead, then they come, and until then are seen to wait', async () => {
		const slot = world.addSlot(20);
		world.logIsDown = true;
		for (let made = 0; made < 20; made++) {
			await world.engines[0]!.call('create', { body: { time_slot_id: slot.id, date: MONDAY } });
		}
		await world.bookings.updateMany({ account_id: ACCOUNT }, { $set: { relay_at: Date.now() + HOUR } });
		await until(async () => (await world.engines[0]!.call('outbox', {})).oldest > 1_000, {
			what: 'a report of events that wait',
		});
		world.logIsDown = false;
		await until(() => new Set(world.events.map(({ id }) => id)).size === 20, { what: 'the events' });
		await until(async () => (await world.engines[0]!.call('outbox', {})).waiting === 0, {
			what: 'the outboxes to empty',
		});
	});

	test('X4: When an event is on its way in a moment that a clock calls late, then the audit finds nothing; when it waits, then it does', async () => {
		const engine = world.engines[0]!;
		const slot = world.addSlot(1);
		world.logIsDown = true;
		const { data } = await engine.call('create', { body: { time_slot_id: slot.id, date: MONDAY } });
		const key = { _id: data.id, account_id: ACCOUNT };
		const waitsSince = async (relay_at: number) => {
			await world.bookings.updateOne(key, { $set: { relay_at } });
			return (await world.bookings.findOne(key).lean<BookingDocument>())!;
		};
		const now = Date.now();
		expect(faultsOf(await waitsSince(now + HOUR), false, now, 0)).toEqual([]);
		expect(faultsOf(await waitsSince(now + HOUR), false, now, 61_000)).toMatchObject([{ kind: 'event_late' }]);

		await waitsSince(now - HOUR);
		const kindsFound = async () => {
			const { findings } = await engine.call('audit', { repair: false });
			return findings.flatMap(({ kind, booking_ids }) => (booking_ids.includes(data.id) ? [kind] : []));
		};
		expect(await kindsFound()).toEqual(['event_late']);
		const audited = kindsFound();
		setTimeout(() => {
			world.logIsDown = false;
		}, 100);
		expect(await audited).toEqual([]);
	});

	test('X4: When a clock goes back between two changes, then the later one is not told as the earlier', async () => {
		const engine = world.engines[0]!;
		const { data } = await engine.call('create', { body: { time_slot_id: world.addSlot(1).id, date: MONDAY } });
		const ahead = new Date(Date.now() + HOUR).toISOString();
		await world.bookings.updateOne({ _id: data.id, account_id: ACCOUNT }, { $set: { updated_at: ahead } });
		const changed = await engine.call('update', { booking_id: data.id, body: { message: 'later' } });
		expect(changed).toMatchObject({ version: 2, updated_at: ahead });
	});
});
