import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Sweep } from '../../services/catalog/sweep.ts';
import type { Schedule } from '../../shared/contract/schemas/schedule.ts';
import { newService, onBothStores, slot, slots, World } from './catalog-world.ts';

const HOUR = 3_600_000;

onBothStores('slots that a schedule retired', (form) => {
	let world: World;
	let sweep: Sweep;

	beforeAll(async () => {
		world = await World.start(form);
		sweep = new Sweep(world.records, world.catalog.broker);
	});
	afterAll(() => world.stop());

	/** A service of which a schedule with one new slot retired all others. */
	async function replaced(count: number) {
		const account_id = world.account();
		const { data } = await world.catalog.call('createService', { account_id, body: newService(slots(count)) });
		const of = { account_id, service_id: data.id };
		const { timezone, rules, version, time_slots }: Schedule = await world.catalog.call('getSchedule', of);
		const body = { timezone, rules, version, time_slots: [slot()] };
		await world.catalog.call('replaceSchedule', { ...of, body });
		return { ...of, retired: time_slots.map(({ id }) => id) };
	}

	const statesOf = async (account_id: string) => {
		const found = await world.documents.slots.find({ account_id }).sort({ _id: 1 }).lean();
		return found.map(({ _id, state }) => [_id, state]);
	};

	test('S2: When slots were retired an hour ago, then those without bookings are removed, and those with some when they have none', async () => {
		const { account_id, retired } = await replaced(3);
		const [first, second, third] = retired as [number, number, number];
		const added = (await statesOf(account_id)).at(-1)!;
		const all = [...retired.map((id) => [id, 'retired']), added];
		await sweep.run();
		world.clock.advance(HOUR - 1);
		await sweep.run();
		expect(await statesOf(account_id)).toEqual(all);
		world.bookedSlots.add(second);
		world.clock.advance(1);
		await sweep.run();
		expect(await statesOf(account_id)).toEqual([[second, 'retired'], added]);
		world.bookedSlots.delete(second);
		await sweep.run();
		expect(await statesOf(account_id)).toEqual([[second, 'retired'], added]); // it was looked at just now
		world.clock.advance(HOUR);
		await sweep.run();
		expect(await statesOf(account_id)).toEqual([added]);
		expect([first, third]).not.toContain(second);
	});

	test('S2: When more are retired than are looked at together, then one sweep removes them all', async () => {
		const services = [await replaced(500), await replaced(500), await replaced(2)];
		world.clock.advance(HOUR);
		await sweep.run();
		for (const { account_id } of services) expect(await statesOf(account_id)).toHaveLength(1);
	});

	test('S2: When booking cannot be reached, then nothing is removed, and the next sweep goes on', async () => {
		const { account_id, retired } = await replaced(2);
		world.clock.advance(HOUR);
		world.bookingIsDown = true;
		await expect(sweep.run()).rejects.toThrow('not everything could be finished');
		expect(await statesOf(account_id)).toHaveLength(retired.length + 1);
		world.bookingIsDown = false;
		await sweep.run();
		expect(await statesOf(account_id)).toHaveLength(1);
	});
});
