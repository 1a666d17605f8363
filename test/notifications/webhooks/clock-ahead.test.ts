import { expect, test } from '@jest/globals';
import { fanOut, nextEvents } from '../../../services/notifications/webhooks/queue/fan-out.ts';
import { Leases } from '../../../services/notifications/webhooks/queue/lease.ts';
import { updateWebhook } from '../../../services/notifications/webhooks/use-cases/change-webhook.ts';
import { recoverWebhook, redeliver, sendTest } from '../../../services/notifications/webhooks/use-cases/redeliver.ts';
import { timestamp } from '../../../shared/engine/clock.ts';
import { until } from '../../support/until.ts';
import { newEvent, newEvents } from '../new-events.ts';
import { describeForms } from '../service-world.ts';
import { EngineWorld, id } from './engine-world.ts';

const HOUR = 3_600_000; // ms
const AN_HOUR_AHEAD = { ms: HOUR };

describeForms('processes whose clocks differ by an hour', (openWorld) => {
	/** A webhook that was enabled again, after so many of its deliveries failed. */
	async function withFailed(count: number) {
		const world = await EngineWorld.open(await openWorld());
		let status = 410;
		const { id: webhook_id } = await world.webhook('a', () => ({ status }));
		await world.append('a', newEvents('a', 1, count));
		const engine = await world.engine();
		await world.settled('a', (all) => all.length === count && all.every((each) => each.status === 'failed'));
		await world.stop(engine);
		await world.rows.webhooks.updateOne({ _id: webhook_id, account_id: 'a' }, { $set: { enabled: true } });
		status = 204;
		return { world, webhook_id };
	}

	test('X4: When it dies with a queue that is full, then another one delivers it within 5 s', async () => {
		const world = await EngineWorld.open(await openWorld());
		const { id: webhook } = await world.webhook('a', () => ({ status: 204 }));
		const dead = await world.storeOf(AN_HOUR_AHEAD);
		await new Leases(dead, 'dead').take(await world.stored('a', webhook));
		await world.append('a', newEvents('a', 1, 20));
		expect(await fanOut(dead, nextEvents(dead.events), await world.stored('a', webhook))).toBe('done');
		await world.engine();
		for (let second = 0; second < 5; second++) await world.pass(1_000);
		await world.settled('a', (all) => all.length === 20 && all.every(({ status }) => status === 'delivered'));
		expect(new Set(world.sent.map(id)).size).toBe(20);
	});

	test('X4: When it is asked for tests and for what failed, then another one sends that at once', async () => {
		const { world, webhook_id } = await withFailed(2);
		const delivery_id = (await world.deliveries('a'))[0]!._id;
		const wrong = { ...world.webhooks, store: await world.storeOf(AN_HOUR_AHEAD) };
		const tested = await sendTest(wrong, { account_id: 'a', webhook_id });
		const asked = await redeliver(wrong, { account_id: 'a', webhook_id, delivery_id });
		const inAnHour = timestamp(world.store.clock.now() + HOUR);
		expect([tested.next_attempt_at, asked.next_attempt_at]).toEqual([inAnHour, inAnHour]);
		await world.engine();
		await world.settled('a', (all) => all.filter((each) => each.status === 'delivered').length === 2);
	});

	test.each([1_000, -1_000])(
		'X4: When deliveries failed at a process whose time differs by %d ms, as it may, then a recovery by another one sends them',
		async (ms) => {
			const { world, webhook_id } = await withFailed(3);
			const since = timestamp(world.store.clock.now());
			const failed_at = world.store.time.now() + ms;
			await world.rows.deliveries.updateMany({ account_id: 'a' }, { $set: { failed_at } });
			await recoverWebhook(world.webhooks, { account_id: 'a', webhook_id, body: { since } });
			await world.engine();
			await world.settled('a', (all) => all.every((each) => each.status === 'delivered'));
		},
	);

	test.each([HOUR, -HOUR])(
		'X4: When a process that is wrong by %d ms is asked to recover what failed since a minute ago, then that is sent',
		async (ms) => {
			const { world, webhook_id } = await withFailed(3);
			const since = timestamp(world.store.clock.now() - 60_000);
			const wrong = { ...world.webhooks, store: await world.storeOf({ ms }) };
			await recoverWebhook(wrong, { account_id: 'a', webhook_id, body: { since } });
			await world.engine();
			await world.settled('a', (all) => all.every((each) => each.status === 'delivered'));
		},
	);

	test('X4: When all were stopped, and one came back a day ahead and was set right, then a recovery sends what failed before', async () => {
		const { world, webhook_id } = await withFailed(3);
		const since = timestamp(world.store.clock.now() - 60_000);
		const skew = { ms: 24 * HOUR };
		const store = await world.storeOf(skew);
		await store.time.keep(true);
		skew.ms = 0;
		await recoverWebhook({ ...world.webhooks, store }, { account_id: 'a', webhook_id, body: { since } });
		await world.engine(store);
		await world.settled('a', (all) => all.every((each) => each.status === 'delivered'));
	});

	test.each([HOUR, -HOUR])(
		'X4: When a process that is wrong by %d ms has left a retry, then another one makes it when it is due, and not before',
		async (ms) => {
			const world = await EngineWorld.open(await openWorld());
			await world.webhook('a', () => ({ status: world.sent.length < 3 ? 500 : 204 }));
			const wrong = await world.engine(await world.storeOf({ ms }));
			await world.append('a', newEvents('a', 1, 1));
			await world.settled('a', ([one]) => one?.attempts.length === 1);
			await world.stop(wrong);
			await world.engine();
			for (const wait of [5_000, 300_000]) {
				const attempts = world.sent.length;
				await world.pass(wait - 1);
				await world.pass(0); // what begins anew has looked twice
				expect(world.sent).toHaveLength(attempts);
				await world.pass(1);
				await world.settled('a', ([one]) => one?.attempts.length === attempts + 1);
			}
			await world.settled('a', ([one]) => one?.status === 'delivered');
		},
	);

	test('X4: When events happen at a process that is an hour ahead, and come into the log behind a PATCH, then the older subscription takes them, for a minute', async () => {
		const world = await EngineWorld.open(await openWorld());
		const { id: webhook_id } = await world.webhook('a', () => ({ status: 204 }));
		await world.engine();
		await updateWebhook(world.webhooks, { account_id: 'a', webhook_id, body: { events: ['booking.deleted'] } });
		const happens = async (booking: number) => {
			const at = timestamp(world.store.clock.now() + HOUR);
			await world.append('a', [{ ...newEvent('a', booking), timestamp: at }]);
			await until(async () => (await world.stored('a', webhook_id)).cursor === booking);
		};
		await happens(1);
		await world.settled('a', ([one]) => one?.status === 'delivered');
		await world.pass(60_000);
		await happens(2);
		expect(world.sent.map(id)).toEqual(['evt_1_1']);
	});

	test('X4: When the clock of a process jumps by an hour and back, then its retries come by the schedule', async () => {
		const world = await EngineWorld.open(await openWorld());
		const skew = { ms: 0 };
		await world.webhook('a', () => ({ status: 500 }));
		await world.engine(await world.storeOf(skew));
		await world.append('a', newEvents('a', 1, 1));
		await world.settled('a', ([one]) => one?.attempts.length === 1);
		const steps = [5_000, 300_000, 1_800_000];
		const jumps = [-HOUR, HOUR, 0];
		for (const [index, wait] of steps.entries()) {
			skew.ms = jumps[index]!;
			await world.pass(wait - 1);
			expect(world.sent).toHaveLength(index + 1);
			await world.pass(1);
			await world.settled('a', ([one]) => one?.attempts.length === index + 2);
		}
	});
});
