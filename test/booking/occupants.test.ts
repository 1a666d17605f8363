import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { BookingStore } from '../../services/booking/document/booking-store.ts';
import { systemClock } from '../../shared/engine/clock.ts';
import { ACCOUNT, MONDAY, onBothStores, World } from './engines.ts';

const MOST = 10;

onBothStores('the occupants of several occurrences', (form) => {
	let world: World;
	beforeAll(async () => {
		world = await World.start(form, 1);
	});
	afterAll(() => world.stop());

	test('When they are more than one answer may have, then they are read in several, and each occurrence in one', async () => {
		const counts = [7, 0, 9, 3, 1, 6];
		const slots = counts.map(() => world.addSlot(MOST));
		const book = (time_slot_id: number) => world.engines[0]!.call('create', { body: { date: MONDAY, time_slot_id } });
		await Promise.all(slots.flatMap(({ id }, index) => Array.from({ length: counts[index]! }, () => book(id))));
		const store = new BookingStore(world.store.connection, systemClock, MOST);
		const found = await Promise.all(
			slots.map(({ id }) => store.occupants({ account_id: ACCOUNT, time_slot_id: id, date: MONDAY })),
		);
		expect(found.map((its) => its?.length)).toEqual(counts);
	});
});
