import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { MONDAY, onBothStores, World } from './engines.ts';

const MINUTE = 60_000; // ms
const JANUARY = Date.parse('2027-01-01T00:00:00.000Z');

onBothStores('R7: the month of a booking', (form) => {
	let world: World;
	beforeAll(async () => {
		world = await World.start(form, 1);
	});
	afterEach(() => {
		world.ahead = 0;
		world.counted = () => {};
	});
	afterAll(() => world.stop());

	test('R7: When the month changes while a booking is made, then it was made in the month in which it is counted', async () => {
		const { id } = world.addSlot(1);
		world.ahead = JANUARY - MINUTE - Date.now();
		world.counted = () => {
			world.ahead += 2 * MINUTE;
		};
		const { data } = await world.engines[0]!.call('create', { body: { time_slot_id: id, date: MONDAY } });
		expect(data.created_at).toBe('2026-12-31T23:59:59.999Z');
	});

	test('R7: When the clock goes back to the month before while a booking is made, then it was made in the month in which it is counted', async () => {
		const { id } = world.addSlot(1);
		world.ahead = JANUARY + MINUTE - Date.now();
		world.counted = () => {
			world.ahead -= 2 * MINUTE;
		};
		const { data } = await world.engines[0]!.call('create', { body: { time_slot_id: id, date: MONDAY } });
		expect(data.created_at).toBe('2027-01-01T00:00:00.000Z');
	});
});
