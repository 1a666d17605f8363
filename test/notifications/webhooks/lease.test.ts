import { expect, test } from '@jest/globals';
import { LEASE, Leases } from '../../../services/notifications/webhooks/queue/lease.ts';
import { AT_ONCE, markWebhooks } from '../../../services/notifications/webhooks/queue/mark-webhooks.ts';
import { describeForms } from '../service-world.ts';
import { EngineWorld } from './engine-world.ts';

const ok = () => ({ status: 204 });

describeForms('leases of queues', (openWorld) => {
	async function settle() {
		const world = await EngineWorld.open(await openWorld());
		const { id } = await world.webhook('a', ok);
		const [one, other] = [new Leases(world.store, 'one'), new Leases(world.store, 'other')];
		return { world, id, key: { _id: id, account_id: 'a' }, one, other, read: () => world.stored('a', id) };
	}

	test('When many take a queue at once, then one gets it, and nobody else until it runs out', async () => {
		const { world, id, key, read } = await settle();
		const all = Array.from({ length: 10 }, (_, number) => new Leases(world.store, `process-${number}`));
		const taken = await Promise.all(all.map((leases) => leases.take(key)));
		expect(taken.filter((each) => each)).toHaveLength(1);
		const owner = all[taken.indexOf(true)]!;
		expect(owner.holds(await read())).toBe(true);
		const other = all.find((leases) => leases !== owner)!;
		await world.pass(LEASE - 1);
		expect(await other.take(key)).toBe(false);
		await owner.renew([id]);
		await world.pass(LEASE - 1);
		expect(await other.take(key)).toBe(false);
		await world.pass(1);
		expect(owner.holds(await read())).toBe(false);
		expect(await other.take(key)).toBe(true);
		await owner.renew([id]);
		await owner.abandon([id]);
		expect([owner.holds(await read()), other.holds(await read())]).toEqual([false, true]);
	});

	test('When a mark comes after the last look, then the queue is not given back; else it is, until it is due', async () => {
		const { world, key, one, other, read } = await settle();
		expect(await one.take(key)).toBe(true);
		expect((await read()).wake_at).toBe(0);
		expect(await markWebhooks(world.store, ['a'])).toBe(true);
		expect(await one.giveBack(await read(), 0)).toBe(false);
		expect(await markWebhooks(world.store, ['a'])).toBe(false); // it is marked already
		expect(await other.clearMark(await read())).toBe(false);
		expect(await one.clearMark(await read())).toBe(true);
		const due = world.world.clock.now() + 5_000;
		expect(await other.giveBack(await read(), due)).toBe(false);
		expect(await one.giveBack(await read(), due)).toBe(true);
		expect(await read()).toMatchObject({ lease: '', lease_until: 0, wake_at: due });
		expect(await markWebhooks(world.store, ['b'])).toBe(false);
		expect(await markWebhooks(world.store, ['b', 'a'])).toBe(true);
		expect((await read()).wake_at).toBe(AT_ONCE);
	});
});
