import { expect, jest, test } from '@jest/globals';
import { sweepWebhooks } from '../../../services/notifications/sweep.ts';
import { LEASE } from '../../../services/notifications/webhooks/queue/lease.ts';
import { APART } from '../../../services/notifications/webhooks/store/queue-time.ts';
import { deleteWebhook, updateWebhook } from '../../../services/notifications/webhooks/use-cases/change-webhook.ts';
import { recoverWebhook, redeliver } from '../../../services/notifications/webhooks/use-cases/redeliver.ts';
import { SKEW, timestamp } from '../../../shared/engine/clock.ts';
import { Deadline } from '../../../shared/work/deadline.ts';
import { until } from '../../support/until.ts';
import { newEvent, newEvents } from '../new-events.ts';
import { describeForms } from '../service-world.ts';
import { EngineWorld, hanging, id } from './engine-world.ts';

const DAY = 24 * 3_600_000;
const ok = () => ({ status: 204 });

/** The store's own `updateOne`, also where a test has put another in its place */
function updating({ rows: { webhooks } }: EngineWorld) {
	return webhooks.updateOne.bind(webhooks) as unknown as (filter: object, update: object) => Promise<unknown>;
}

describeForms('queues of webhooks', (openWorld) => {
	test('When events are appended, then each webhook gets those of its types, once, in no more than bodies of the feed', async () => {
		const world = await EngineWorld.open(await openWorld());
		await world.webhook('a', ok);
		await world.webhook('a', ok, { events: ['booking.updated'] });
		await world.webhook('b', ok);
		await world.engine();
		await world.append('a', [newEvent('a', 1), newEvent('a', 1, 2), newEvent('a', 2)]);
		await world.settled('a', (all) => all.length === 4 && all.every(({ status }) => status === 'delivered'));
		const got = world.sent.map((message) => `${message.url.at(-1)} ${id(message)}`);
		expect(got.sort()).toEqual(['1 evt_1_1', '1 evt_1_2', '1 evt_2_1', '2 evt_1_2']);
		const { data, previous, timestamp: at } = newEvent('a', 2);
		const body = world.sent.find((message) => id(message) === 'evt_2_1')!.body;
		expect(body).toBe(JSON.stringify({ type: 'booking.created', timestamp: at, sequence: 3, data, previous }));
	});

	test('When 120 events come while three processes deliver to four webhooks, then each gets each, and a queue has one owner', async () => {
		const world = await EngineWorld.open(await openWorld());
		const atOnce = new Map<string, number>();
		let most = 0;
		for (let number = 0; number < 4; number++) {
			await world.webhook('a', async ({ url }) => {
				atOnce.set(url, (atOnce.get(url) ?? 0) + 1);
				most = Math.max(most, atOnce.get(url)!);
				await new Promise((resolve) => setTimeout(resolve, 1));
				atOnce.set(url, atOnce.get(url)! - 1);
				return { status: 200 };
			});
		}
		await Promise.all([world.engine(), world.engine(), world.engine()]);
		for (let batch = 0; batch < 6; batch++) await world.append('a', newEvents('a', batch * 20 + 1, 20));
		const delivered = () => world.rows.deliveries.countDocuments({ account_id: 'a', status: 'delivered' });
		await until(async () => (await delivered()) === 480);
		for (let number = 1; number <= 4; number++) {
			const ids = world.sent.filter(({ url }) => url.endsWith(`/${number}`)).map(id);
			expect([ids.length, new Set(ids).size]).toEqual([120, 120]);
		}
		expect(most).toBeGreaterThan(1);
		expect(most).toBeLessThanOrEqual(8);
	});

	test('When the process that has a queue is gone, then another takes it over behind the lease, and nothing is lost', async () => {
		const world = await EngineWorld.open(await openWorld());
		const { id: webhook } = await world.webhook('a', ok);
		await world.append('a', newEvents('a', 1, 3));
		const dead = { lease: 'dead', lease_until: world.world.clock.now() + LEASE, wake_at: 0 };
		await world.rows.webhooks.updateOne({ account_id: 'a', _id: webhook }, { $set: dead });
		const engine = await world.engine();
		await engine.tick(); // it has seen the lease
		expect(await world.deliveries('a')).toEqual([]);
		await world.pass(LEASE);
		await world.settled('a', (all) => all.length === 3 && all.every(({ status }) => status === 'delivered'));
	});

	test('When a process does not hear that it has taken a queue, then it is taken again behind the lease, and nothing is lost', async () => {
		const world = await EngineWorld.open(await openWorld());
		const { id: webhook } = await world.webhook('a', ok);
		await world.append('a', newEvents('a', 1, 3));
		const updateOne = updating(world);
		let lost = 0;
		jest.spyOn(world.rows.webhooks, 'updateOne').mockImplementation(((filter: object, update: { $set?: object }) => {
			const write = updateOne(filter, update);
			if (lost > 0 || !('lease' in (update.$set ?? {}))) return write;
			lost++;
			return write.then(() => Promise.reject(new Error('the answer was lost')));
		}) as never);
		const engine = await world.engine();
		await until(async () => (await world.stored('a', webhook)).lease !== '');
		await engine.tick(); // it has seen the lease
		expect(await world.deliveries('a')).toEqual([]);
		await world.pass(LEASE);
		await world.settled('a', (all) => all.length === 3 && all.every(({ status }) => status === 'delivered'));
		expect(lost).toBe(1);
	});

	test('When a process gives a queue back long after it gave up to, and has taken it anew, then what came meanwhile is delivered', async () => {
		const world = await EngineWorld.open(await openWorld());
		const { id: webhook } = await world.webhook('a', ok);
		await world.append('a', newEvents('a', 1, 3));
		const updateOne = updating(world);
		let late = 0;
		jest.spyOn(world.rows.webhooks, 'updateOne').mockImplementation(((filter: object, update: object) => {
			const write = updateOne(filter, update);
			const { lease = '' } = (update as { $set: { lease?: string } }).$set;
			if (lease === '' || late++ > 0) return write;
			const held = { account_id: 'a', _id: webhook, lease, wake_at: 0 };
			const free = { $set: { lease: '', lease_until: 0 } };
			return write.then(async (taken) => {
				await updateOne(held, free);
				return taken;
			});
		}) as never);
		await world.engine();
		await world.settled('a', (all) => all.length === 3 && all.every(({ status }) => status === 'delivered'));
	});

	test('When a process with 100 queues was stopped for longer than its leases, then it renews them, and looks no longer', async () => {
		const world = await EngineWorld.open(await openWorld());
		const accounts = ['a', 'b', 'c', 'd'];
		for (let number = 0; number < 100; number++) await world.webhook(accounts[number % 4]!, hanging);
		await world.engine();
		for (const [index, account] of accounts.entries()) await world.append(account, [newEvent(account, index + 1)]);
		await until(() => world.sent.length === 100);
		let looks = 0;
		const { find } = world.rows.webhooks;
		const counted = jest.spyOn(world.rows.webhooks, 'find').mockImplementation((...query) => {
			if (++looks > 1_000) throw new Error('it looks for ever'); // nothing else would have a turn
			return find.apply(world.rows.webhooks, query);
		});
		await world.pass(LEASE + 1);
		expect(looks).toBeLessThan(20);
		counted.mockRestore();
		const held = { account_id: { $in: accounts }, lease_until: { $gt: world.world.clock.now() } };
		expect(await world.rows.webhooks.countDocuments(held)).toBe(100);
	});

	test('When a process died between the deliveries and the cursor, then no event comes into the queue twice', async () => {
		const world = await EngineWorld.open(await openWorld());
		const { id: webhook } = await world.webhook('a', ok);
		await world.engine();
		await world.append('a', newEvents('a', 1, 5));
		await world.settled('a', (all) => all.length === 5 && all.every(({ status }) => status === 'delivered'));
		const asDead = { cursor: 2, wake_at: world.world.clock.now() };
		await until(async () => {
			const idle = { account_id: 'a', _id: webhook, lease: '' };
			return (await world.rows.webhooks.updateOne(idle, { $set: asDead })).matchedCount === 1;
		});
		await world.append('a', newEvents('a', 6, 1));
		await world.settled('a', (all) => all.length === 6 && all.every(({ status }) => status === 'delivered'));
		expect(world.sent.map(id)).toEqual([1, 2, 3, 4, 5, 6].map((booking) => `evt_${booking}_1`));
		expect((await world.stored('a', webhook)).cursor).toBe(6);
	});

	test('When an append is lost on everybody but the store, then its mark is found within two seconds', async () => {
		const world = await EngineWorld.open(await openWorld());
		const { id: webhook } = await world.webhook('a', ok);
		await world.append('a', newEvents('a', 1, 1)); // no process runs
		await world.engine();
		await world.settled('a', ([one]) => one?.status === 'delivered');
		await until(async () => {
			await world.pass(1_000); // a queue whose taking was not heard of is taken again behind the lease
			const queue = await world.stored('a', webhook);
			expect(queue).toMatchObject({ wake_at: 0, lease: '', lease_until: 0 }); // it was given back
			return queue;
		});
	});

	test('When a webhook is disabled, then what waits fails; when enabled again, it goes on with the next event', async () => {
		const world = await EngineWorld.open(await openWorld());
		let works = false;
		const { id: webhook } = await world.webhook('a', () => ({ status: works ? 200 : 500 }));
		await world.engine();
		await world.append('a', newEvents('a', 1, 3));
		await world.settled('a', (all) => all.length === 3 && all.every(({ made }) => made === 1));
		await updateWebhook(world.webhooks, { account_id: 'a', webhook_id: webhook, body: { enabled: false } });
		await world.settled('a', (all) => all.every(({ status, due_at }) => status === 'failed' && due_at === 0));
		await world.append('a', newEvents('a', 4, 2));
		works = true;
		await updateWebhook(world.webhooks, { account_id: 'a', webhook_id: webhook, body: { enabled: true } });
		await world.append('a', newEvents('a', 6, 1));
		const all = await world.settled('a', (found) => found.some(({ status }) => status === 'delivered'));
		expect(all.map(({ event_id }) => event_id)).toEqual(['evt_1_1', 'evt_2_1', 'evt_3_1', 'evt_6_1']);

		const since = timestamp(world.world.clock.now() - 1_000);
		await recoverWebhook(world.webhooks, { account_id: 'a', webhook_id: webhook, body: { since } });
		await world.settled('a', (found) => found.every(({ status }) => status === 'delivered'));
		expect((await world.stored('a', webhook)).recover_until).toBe(0);
	});

	test('When 210 deliveries failed, more than one page, and are recovered from a moment on, then those from then on are sent again', async () => {
		const world = await EngineWorld.open(await openWorld());
		let works = false;
		const { id: webhook } = await world.webhook('a', () => ({ status: works ? 200 : 500 }));
		await world.engine();
		await world.append('a', newEvents('a', 1, 220));
		await world.settled('a', (all) => all.length === 220);
		await updateWebhook(world.webhooks, { account_id: 'a', webhook_id: webhook, body: { enabled: false } });
		await world.settled('a', (all) => all.every(({ status }) => status === 'failed'));
		const now = world.world.clock.now();
		const old = { account_id: 'a', sequence: { $lte: 10 } };
		await world.rows.deliveries.updateMany(old, { $set: { failed_at: now - APART - 1 } });
		works = true;
		await updateWebhook(world.webhooks, { account_id: 'a', webhook_id: webhook, body: { enabled: true } });
		const body = { since: timestamp(now) };
		await recoverWebhook(world.webhooks, { account_id: 'a', webhook_id: webhook, body });
		const all = await world.settled(
			'a',
			(found) => found.filter(({ status }) => status === 'delivered').length === 210,
		);
		expect(all.filter(({ status }) => status === 'failed').map(({ sequence }) => sequence)).toEqual(
			Array.from({ length: 10 }, (_, index) => index + 1),
		);
	});

	test('When a delivery is asked for again during its attempt, then it is sent again, and both attempts are kept', async () => {
		const world = await EngineWorld.open(await openWorld());
		const answers: (() => void)[] = [];
		const { id: webhook } = await world.webhook(
			'a',
			() => new Promise((resolve) => answers.push(() => resolve({ status: 200 }))),
		);
		await world.engine();
		await world.append('a', newEvents('a', 1, 1));
		await until(() => answers.length === 1);
		const [delivery] = await world.deliveries('a');
		await redeliver(world.webhooks, { account_id: 'a', webhook_id: webhook, delivery_id: delivery!._id });
		answers[0]!();
		await until(() => answers.length === 2);
		answers[1]!();
		const [after] = await world.settled('a', ([one]) => one?.status === 'delivered');
		expect(after!.attempts).toHaveLength(2);
		expect(new Set(world.sent.map(id)).size).toBe(1);
	});

	test('When a webhook is deleted, then its attempts end, its deliveries go, and later events pass it by', async () => {
		const world = await EngineWorld.open(await openWorld());
		const { id: webhook } = await world.webhook('a', hanging);
		await world.engine();
		await world.append('a', newEvents('a', 1, 210)); // more than one page
		await world.settled('a', (all) => all.length === 210);
		await until(() => world.sent.length === 1);
		await deleteWebhook(world.webhooks, { account_id: 'a', webhook_id: webhook }, new Deadline(60_000));
		await world.settled('a', (all) => all.length === 0);
		await world.append('a', newEvents('a', 211, 1));
		await world.pass(DAY);
		expect(await world.deliveries('a')).toEqual([]);
		expect(world.sent).toHaveLength(1);
		await world.pass(SKEW + 1);
		await sweepWebhooks(world.store);
		expect(await world.rows.webhooks.countDocuments({ account_id: 'a' })).toBe(0);
	});

	test('When deliveries are 30 days old, then they are swept, and only those', async () => {
		const world = await EngineWorld.open(await openWorld());
		await world.webhook('a', ok);
		await world.engine();
		await world.append('a', newEvents('a', 1, 1));
		const [first] = await world.settled('a', ([one]) => one?.status === 'delivered');
		const like = Array.from({ length: 599 }, (_, more) => ({
			...first!,
			_id: first!._id + 1_000 + more,
			event_id: `evt_like_${more}`,
			key: `${first!.key}_${more}`,
			sequence: first!.sequence + 1_000 + more,
		}));
		await world.rows.deliveries.insertMany(like, { lean: true });
		await world.pass(DAY);
		await world.append('a', newEvents('a', 601, 2));
		await world.settled('a', (all) => all.length === 602 && all.every(({ status }) => status === 'delivered'));
		await world.pass(29 * DAY + SKEW);
		expect(await sweepWebhooks(world.store)).toBe(0); // to the millisecond
		await world.pass(1);
		expect(await sweepWebhooks(world.store)).toBe(600);
		expect((await world.deliveries('a')).map(({ event_id }) => event_id)).toEqual(['evt_601_1', 'evt_602_1']);
	});

	test('W4: When 60 endpoints hang, then another one gets its events meanwhile, and each of them holds one attempt', async () => {
		const world = await EngineWorld.open(await openWorld());
		const accounts = ['a', 'b', 'c', 'd'];
		for (let number = 0; number < 60; number++) await world.webhook(accounts[number % 4]!, hanging);
		const { url } = await world.webhook('d', ok);
		const engine = await world.engine();
		for (const [index, account] of accounts.entries()) {
			await world.append(account, newEvents(account, index * 1_000 + 1, 20));
		}
		await until(() => world.sent.filter((message) => message.url === url).length === 20);
		await until(() => world.sent.length === 80);
		const others = Map.groupBy(world.sent, (message) => message.url);
		for (const [to, messages] of others) expect([to, messages.length]).toEqual([to, to === url ? 20 : 1]);
		await engine.stop();
		const begun = world.sent.length;
		await world.pass(DAY);
		expect(world.sent).toHaveLength(begun); // a stopped one begins nothing, and has recorded none of what it gave up
		expect((await world.deliveries('a')).every(({ attempts }) => attempts.length === 0)).toBe(true);
	});
});
