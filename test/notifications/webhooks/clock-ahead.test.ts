import { expect, test } from '@jest/globals';
import { recoverWebhook } from '../../../services/notifications/webhooks/deliveries/recover-webhook.ts';
import { redeliver } from '../../../services/notifications/webhooks/deliveries/redeliver.ts';
import { sendTest } from '../../../services/notifications/webhooks/deliveries/send-test.ts';
import { fanOut } from '../../../services/notifications/webhooks/queue/fan-out.ts';
import { Leases } from '../../../services/notifications/webhooks/queue/lease.ts';
import { nextEvents } from '../../../services/notifications/webhooks/queue/next-events.ts';
import type { WebhookStore } from '../../../services/notifications/webhooks/webhook-store.ts';
import { timestamp } from '../../../shared/clock.ts';
import { newEvents } from '../new-events.ts';
import { describeForms } from '../service-world.ts';
import { EngineWorld, id } from './engine-world.ts';

const HOUR = 3_600_000; // ms

/** What a process sees whose clock is an hour ahead. */
function ahead({ store }: EngineWorld): WebhookStore {
	const { clock } = store;
	const wrong = { now: () => clock.now() + HOUR, monotonic: () => clock.monotonic() };
	const nextDeliveryIds = (count: number) => store.nextDeliveryIds(count);
	return Object.assign(Object.create(store), { clock: wrong, nextDeliveryIds });
}

describeForms('a process whose clock is an hour ahead', (openWorld) => {
	test('X4: When it dies with a queue that is full, then another one delivers it within 5 s', async () => {
		const world = await EngineWorld.open(await openWorld());
		const { id: webhook } = await world.webhook('a', () => ({ status: 204 }));
		const dead = ahead(world);
		await new Leases(dead, 'dead').take(await world.stored('a', webhook));
		await world.append('a', newEvents('a', 1, 20));
		expect(await fanOut(dead, nextEvents(dead.events), await world.stored('a', webhook))).toBe('done');
		await world.engine();
		for (let second = 0; second < 5; second++) await world.pass(1_000);
		await world.settled('a', (all) => all.length === 20 && all.every(({ status }) => status === 'delivered'));
		expect(new Set(world.sent.map(id)).size).toBe(20);
	});

	test('X4: When it is asked for tests and for what failed, then another one sends that at once', async () => {
		const world = await EngineWorld.open(await openWorld());
		let status = 410;
		const { id: webhook_id } = await world.webhook('a', () => ({ status }));
		await world.append('a', newEvents('a', 1, 2));
		const engine = await world.engine();
		await world.settled('a', (all) => all.length === 2 && all.every((each) => each.status === 'failed'));
		await engine.stop();
		status = 204;
		await world.store.webhooks.updateOne({ _id: webhook_id, account_id: 'a' }, { $set: { enabled: true } });
		const delivery_id = (await world.deliveries('a'))[0]!._id;
		const wrong = { ...world.webhooks, store: ahead(world) };
		const tested = await sendTest(wrong, { account_id: 'a', webhook_id });
		const asked = await redeliver(wrong, { account_id: 'a', webhook_id, delivery_id });
		const inAnHour = timestamp(world.store.clock.now() + HOUR);
		expect([tested.next_attempt_at, asked.next_attempt_at]).toEqual([inAnHour, inAnHour]);
		await world.engine();
		await world.settled('a', (all) => all.filter((each) => each.status === 'delivered').length === 2);
	});

	test('X4: When deliveries failed there, then a recovery by another one sends them, too', async () => {
		const world = await EngineWorld.open(await openWorld());
		let status = 410;
		const { id: webhook_id } = await world.webhook('a', () => ({ status }));
		await world.append('a', newEvents('a', 1, 3));
		const engine = await world.engine();
		await world.settled('a', (all) => all.length === 3 && all.every((each) => each.status === 'failed'));
		await engine.stop();
		const since = timestamp(world.store.clock.now() - 1_000);
		const failed_at = world.store.clock.now() + HOUR;
		await world.store.deliveries.updateMany({ account_id: 'a' }, { $set: { failed_at } });
		await world.store.webhooks.updateOne({ _id: webhook_id, account_id: 'a' }, { $set: { enabled: true } });
		status = 204;
		await recoverWebhook(world.webhooks, { account_id: 'a', webhook_id, body: { since } });
		await world.engine();
		await world.settled('a', (all) => all.every((each) => each.status === 'delivered'));
	});
});
