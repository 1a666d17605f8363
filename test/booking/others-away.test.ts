import { afterEach, expect, test } from '@jest/globals';
import type { DirectoryEntry } from '../../shared/contract/actions.ts';
import { type Clock, systemClock } from '../../shared/engine/clock.ts';
import { until } from '../support/until.ts';
import { afterwards } from './afterwards.ts';
import { ACCOUNT, MONDAY, onBothStores, outcome, World } from './engines.ts';

/** More than the sweep reads at a time */
const BOOKINGS = 130;
/** ms after which a directory that is away fails, as one does that hangs */
const SLOW = 60_000;

onBothStores('While others are away', (form) => {
	let world: World;
	afterEach(() => world.stop());

	/** Ends the world's processes; another one delivers, whose directory may be away. */
	const deliverer = async () => {
		const directory = { isAway: true, asked: 0, entries: [] as DirectoryEntry[] };
		let later = 0;
		const rest = () => {
			later += SLOW;
		};
		const record = async (entries: DirectoryEntry[]) => {
			directory.asked++;
			if (directory.isAway) {
				rest();
				throw new Error('the directory is away');
			}
			directory.entries.push(...entries);
			return 'ok';
		};
		const clock: Clock = { now: () => systemClock.now(), monotonic: () => systemClock.monotonic() + later };
		return { ...(await afterwards(world, { record, clock })), directory, rest };
	};
	const waiting = () => world.bookings.countDocuments({ account_id: ACCOUNT, relay_at: { $gt: 0 } });

	test('When the directory is away, then the log has every event all the same, and the directory hears of each booking later', async () => {
		world = await World.start(form, 1);
		const [engine] = world.engines as [(typeof world.engines)[number]];
		world.logIsDown = true;
		const slot = world.addSlot(BOOKINGS);
		const create = (index: number) =>
			engine.call('create', { body: { date: MONDAY, time_slot_id: slot.id, customer_email: `c${index}@example.com` } });
		const made = await Promise.all(Array.from({ length: BOOKINGS }, (_, index) => create(index)));
		const [{ data: first }] = made as [(typeof made)[number]];
		for (const email of ['x@example.com', 'c0@example.com', 'x@example.com', 'y@example.com'])
			await engine.call('updateCustomer', { booking_id: first.id, body: { email } });
		const { sweeper, directory, rest } = await deliverer();

		await expect(sweeper.deliverNow({})).rejects.toThrow('the directory is away');
		expect(world.events).toHaveLength(BOOKINGS + 4);
		expect(directory.asked).toBe(1); // and is not asked again for each page
		expect(await waiting()).toBe(BOOKINGS);
		const others = { account_id: ACCOUNT, _id: { $ne: first.id }, 'outbox.0': { $exists: true } };
		expect(await world.bookings.countDocuments(others)).toBe(0); // nothing is sent again

		directory.isAway = false;
		rest();
		await sweeper.deliverNow({});
		expect(await waiting()).toBe(0);
		expect(new Set(directory.entries.map(({ booking_id }) => booking_id)).size).toBe(BOOKINGS);
		const { former = [] } = directory.entries.find(({ booking_id }) => booking_id === first.id)!;
		expect(former.map(({ value }) => value).toSorted()).toEqual(['c0@example.com', 'x@example.com']);
	});

	test('When so many events of one booking wait that its document would grow too large, then changes are refused until the log is back, and none is lost', async () => {
		world = await World.start(form, 1);
		const [engine] = world.engines as [(typeof world.engines)[number]];
		world.logIsDown = true;
		const slot = world.addSlot(1);
		const { data } = await engine.call('create', { body: { date: MONDAY, time_slot_id: slot.id } });
		const change = (message: string) => engine.call('update', { booking_id: data.id, body: { message } });
		const outcomes = await Promise.all(Array.from({ length: 450 }, (_, index) => outcome(change(`m${index}`))));
		const made = outcomes.filter((word) => word === 'ok').length;
		expect(made).toBeGreaterThan(300);
		expect(made).toBeLessThan(400);
		expect(new Set(outcomes)).toEqual(new Set(['ok', 'service unavailable']));
		expect(await outcome(engine.call('delete', { booking_id: data.id }))).toBe('service unavailable');
		world.logIsDown = false;
		await until(() => world.events.length === 1 + made, { what: `${1 + made} events` });
		await until(async () => (await outcome(change('again'))) === 'ok', { what: 'a change that is taken' });
	});
});
