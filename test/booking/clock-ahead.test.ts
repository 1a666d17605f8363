import { afterAll, beforeAll, test } from '@jest/globals';
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
});
