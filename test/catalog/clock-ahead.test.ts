import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { CatalogStore } from '../../services/catalog/catalog-store.ts';
import { Sweep } from '../../services/catalog/sweep.ts';
import { TestClock } from '../accounts/test-clock.ts';
import { newService, onBothStores, slots, World } from './catalog-world.ts';
import { intercept } from './crash.ts';

const HOUR = 3_600_000; // ms

/** A wall clock that is off by `offset` ms. What has passed is told by another one. */
class SkewedClock extends TestClock {
	offset = 0;

	override now(): number {
		return super.now() + this.offset;
	}
}

onBothStores('X4: The sweep of the catalog', (form) => {
	let world: World;
	beforeAll(async () => {
		world = await World.start(form);
	});
	afterAll(() => world.stop());

	/** The sweep of another process. */
	const newSweep = () => {
		const clock = new SkewedClock(new Date(world.clock.now()).toISOString());
		return { clock, sweep: new Sweep(new CatalogStore(world.store.connection, clock), world.catalog.broker) };
	};

	test('X4: When a creation is under way and another process’ clock jumps ahead, then it is left alone', async () => {
		const account_id = world.account();
		const hanging = Promise.withResolvers<void>();
		const reached = Promise.withResolvers<void>();
		const gate = intercept(world.store, 'services', 'insertMany', async (run, call) => {
			if (call > 0) return run();
			reached.resolve();
			await hanging.promise;
			return run();
		});
		const answer = world.catalog.call('createService', { account_id, body: newService(slots(3)) });
		await reached.promise;
		const { clock, sweep } = newSweep();
		await sweep.run();
		clock.offset = HOUR;
		await sweep.run();
		hanging.resolve();
		await expect(answer).resolves.toMatchObject({ replayed: false });
		gate.undo();
	});

	test('X4: When a creator with a clock that was ahead died, then its slots go within 20 s', async () => {
		const account_id = world.account();
		expect(await world.callAndDie('createService', { account_id, body: newService(slots(3)) }, 3, 'before')).toBe(true);
		const { clock, sweep } = newSweep();
		clock.offset = -HOUR;
		await sweep.run();
		expect(await world.documents.slots.countDocuments({ account_id })).toBe(3);
		clock.advance(20_000);
		await sweep.run();
		expect(await world.documents.slots.countDocuments({ account_id })).toBe(0);
	});

	test('X4: When a process with a clock that was ahead died in a deletion, then it is finished within 20 s', async () => {
		const account_id = world.account();
		const { data } = await world.catalog.call('createService', { account_id, body: newService(slots(3)) });
		world.bookingIsDown = true;
		const deletion = world.catalog.call('deleteService', { account_id, service_id: data.id });
		await expect(deletion).rejects.toMatchObject({ type: 'service_unavailable' });
		world.bookingIsDown = false;
		const { clock, sweep } = newSweep();
		clock.offset = -HOUR;
		await sweep.run();
		expect(world.closed.map(({ service_id }) => service_id)).not.toContain(data.id);
		clock.advance(20_000);
		await sweep.run();
		expect(world.closed.map(({ service_id }) => service_id)).toContain(data.id);
		expect(await world.documents.slots.countDocuments({ account_id })).toBe(0);
	});
});
