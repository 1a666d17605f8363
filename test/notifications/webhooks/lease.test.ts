import { expect, test } from '@jest/globals';
import { LEASE, Leases } from '../../../services/notifications/webhooks/queue/lease.ts';
import { AT_ONCE } from '../../../services/notifications/webhooks/store/queue-store.ts';
import { deleteWebhook } from '../../../services/notifications/webhooks/use-cases/change-webhook.ts';
import { Deadline } from '../../../shared/work/deadline.ts';
import { describeForms } from '../service-world.ts';
import { EngineWorld } from './engine-world.ts';

const ok = () => ({ status: 204 });

describeForms('leases of queues', (openWorld) => {
	async function settle() {
		const world = await EngineWorld.open(await openWorld());
		const { id } = await world.webhook('a', ok);
		const [one, other] = [new Leases(world.store, 'one'), new Leases(world.store, 'other')];
		return { world, id, one, other, read: () => world.stored('a', id) };
	}

	/** A second passes, and the owner is there or not. @returns whether `other` then sees a queue that was left */
	async function sees(world: EngineWorld, other: Leases, owner?: () => Promise<void>): Promise<boolean> {
		await world.pass(1_000);
		await owner?.();
		await other.watch();
		return other.left.length > 0;
	}

	test('X15: When a webhook is deleted between the look at its marked queue and the clearing of the mark, then the owner knows', async () => {
		const { world, id, one, read } = await settle();
		await one.take(await read());
		await world.store.queues.markAccounts(['a']);
		const marked = await read();
		await deleteWebhook(world.webhooks, { account_id: 'a', webhook_id: id }, new Deadline(60_000));
		const cleared = await one.clearMark(marked);
		expect(cleared).toMatchObject({ wake_at: 0, lease: 'one', version: 2, deleted_at: expect.any(String) });
		expect(await one.giveBack(marked, 0)).toBe(true); // nothing else would tell of it
	});

	test('When many take a queue at once, then one gets it, and nobody else until it was not renewed for a while', async () => {
		const { world, id, read } = await settle();
		const all = Array.from({ length: 10 }, (_, number) => new Leases(world.store, `process-${number}`));
		const free = await read();
		const taken = await Promise.all(all.map((leases) => leases.take(free)));
		expect(taken.filter((each) => each)).toHaveLength(1);
		const owner = all[taken.indexOf(true)]!;
		expect(owner.holds(await read())).toBe(true);
		const other = all.find((leases) => leases !== owner)!;
		for (let second = 0; second < 10; second++) {
			expect(await sees(world, other, () => owner.renew([id]))).toBe(false);
			expect(owner.holds(await read())).toBe(true);
		}
		for (let second = 1; second < LEASE / 1_000; second++) expect(await sees(world, other)).toBe(false);
		expect(await sees(world, other)).toBe(true);
		expect(owner.holds(await read())).toBe(false);
		expect(await other.take(await read())).toBe(true);
		await owner.renew([id]);
		await owner.abandon([id]);
		expect([owner.holds(await read()), other.holds(await read())]).toEqual([false, true]);
	});

	test('When an owner that is there forgets one of its queues, then that one is seen as left, and the others are not', async () => {
		const { world, id, one, other, read } = await settle();
		const { id: forgotten } = await world.webhook('a', ok);
		for (const each of [id, forgotten]) await one.take(await world.stored('a', each));
		for (let second = 0; second < LEASE / 1_000 + 1; second++) await sees(world, other, () => one.renew([id]));
		const { lease_until: oldest } = await world.stored('a', forgotten);
		expect(other.left).toEqual([{ lease: 'one', until: oldest }]);
		expect((await read()).lease_until).toBeGreaterThan(oldest);
	});

	test('X4: When the clock of an owner is an hour ahead, or is set back by one, then it keeps what it renews, and no longer', async () => {
		const { world, id, other, read } = await settle();
		let skew = 3_600_000;
		const { clock } = world.store;
		const now = () => clock.now() + skew;
		const store = Object.assign(Object.create(world.store), { clock: { now, monotonic: () => clock.monotonic() } });
		const wrong = new Leases(store, 'wrong');
		await wrong.take(await read());
		for (const jump of [0, -3_600_000, -3_600_000, 3_600_000]) {
			skew += jump;
			for (let second = 0; second < 5; second++) {
				expect(await sees(world, other, () => wrong.renew([id]))).toBe(false);
				expect(wrong.holds(await read())).toBe(true);
			}
		}
		for (let second = 1; second < LEASE / 1_000; second++) expect(await sees(world, other)).toBe(false);
		expect(await sees(world, other)).toBe(true);
		expect(wrong.holds(await read())).toBe(false);
	});

	test('When a mark comes after the last look, then the queue is not given back; else it is, until it is due', async () => {
		const { world, one, other, read } = await settle();
		expect(await one.take(await read())).toBe(true);
		expect((await read()).wake_at).toBe(0);
		expect(await world.store.queues.markAccounts(['a'])).toBe(true);
		expect(await one.giveBack(await read(), 0)).toBe(false);
		expect(await world.store.queues.markAccounts(['a'])).toBe(false); // it is marked already
		expect(await other.clearMark(await read())).toBeNull();
		expect(await one.clearMark(await read())).toMatchObject({ wake_at: 0 });
		const due = world.world.clock.now() + 5_000;
		expect(await other.giveBack(await read(), due)).toBe(false);
		expect(await one.giveBack(await read(), due)).toBe(true);
		expect(await read()).toMatchObject({ lease: '', lease_until: 0, wake_at: due });
		expect(await world.store.queues.markAccounts(['b'])).toBe(false);
		expect(await world.store.queues.markAccounts(['b', 'a'])).toBe(true);
		expect((await read()).wake_at).toBe(AT_ONCE);
	});
});
