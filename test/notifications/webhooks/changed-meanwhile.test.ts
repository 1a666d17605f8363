import { expect, jest, test } from '@jest/globals';
import { LEASE } from '../../../services/notifications/webhooks/queue/lease.ts';
import { deleteWebhook, updateWebhook } from '../../../services/notifications/webhooks/use-cases/change-webhook.ts';
import { createWebhook } from '../../../services/notifications/webhooks/use-cases/create-webhook.ts';
import { showBacklog } from '../../../services/notifications/webhooks/use-cases/read-webhooks.ts';
import { recoverWebhook } from '../../../services/notifications/webhooks/use-cases/redeliver.ts';
import type { Webhooks } from '../../../services/notifications/webhooks/webhooks.ts';
import type { UpdateWebhook } from '../../../shared/contract/schemas/webhook.ts';
import { timestamp } from '../../../shared/engine/clock.ts';
import { KeyedQueue } from '../../../shared/engine/keyed-queue.ts';
import { Deadline } from '../../../shared/work/deadline.ts';
import { until } from '../../support/until.ts';
import { newEvent } from '../new-events.ts';
import { describeForms } from '../service-world.ts';
import { EngineWorld, id } from './engine-world.ts';

const MINUTE = 60_000;
const ok = () => ({ status: 204 });

/** What another process does: no queue of this one hears of it. */
function elsewhere({ webhooks }: EngineWorld): Webhooks {
	return { ...webhooks, keyed: new KeyedQueue(), changes: new KeyedQueue(), changed: () => {} };
}

function patch(webhooks: Webhooks, webhook_id: number, body: UpdateWebhook, account_id = 'a') {
	return updateWebhook(webhooks, { account_id, webhook_id, body });
}

/** Holds back what is read of the log, as a slow or frozen process would: the webhook was read before. */
function holdLogReads({ rows }: EngineWorld) {
	const held = Promise.withResolvers<void>();
	const begun = Promise.withResolvers<void>();
	const find = rows.events.find.bind(rows.events);
	const spy = jest.spyOn(rows.events, 'find').mockImplementation(((...given: Parameters<typeof find>) => {
		const query = find(...given);
		const lean = query.lean.bind(query);
		query.lean = (async () => {
			begun.resolve();
			await held.promise;
			return lean();
		}) as unknown as typeof query.lean;
		return query;
	}) as unknown as typeof find);
	return {
		begun: begun.promise,
		release() {
			spy.mockRestore();
			held.resolve();
		},
	};
}

describeForms('webhooks that change while their queue is at work', (openWorld) => {
	test('X14: When `events` is widened while a page of the log is read, then what happens behind the answer is delivered', async () => {
		const world = await EngineWorld.open(await openWorld());
		const { id: webhook } = await world.webhook('a', ok, { events: ['booking.deleted'] });
		await world.engine();
		const log = holdLogReads(world);
		await world.append('a', [newEvent('a', 1, 2, 'booking.confirmed')]);
		await log.begun;
		await patch(elsewhere(world), webhook, { events: ['*'] });
		await world.append('a', [newEvent('a', 2)]);
		log.release();
		await until(async () => (await world.stored('a', webhook)).cursor === 2);
		await world.settled('a', (all) => all.some((one) => one.event_id === 'evt_2_1' && one.status === 'delivered'));
		expect(world.sent.map(id)).toEqual(['evt_2_1']);
	});

	test('X14: When `events` is narrowed before the turn of an event, then it is delivered, for it happened before', async () => {
		const world = await EngineWorld.open(await openWorld());
		const { id: webhook } = await world.webhook('a', ok);
		await world.append('a', [newEvent('a', 1)]);
		await patch(world.webhooks, webhook, { events: ['booking.deleted'] });
		await world.append('a', [newEvent('a', 2), newEvent('a', 1, 2, 'booking.deleted')]);
		await world.engine();
		await world.settled('a', (all) => all.length === 2 && all.every(({ status }) => status === 'delivered'));
		expect(world.sent.map(id)).toEqual(['evt_1_1', 'evt_1_2']);
	});

	test('X14: When a change is acknowledged and its event comes into the log behind a PATCH, then the older subscription takes it', async () => {
		const world = await EngineWorld.open(await openWorld());
		const { id: webhook } = await world.webhook('a', ok);
		const late = newEvent('a', 1);
		world.world.clock.advance(Math.max(1, Date.parse(late.timestamp) + 1 - world.world.clock.now()));
		await patch(world.webhooks, webhook, { events: ['booking.deleted'] });
		await world.append('a', [late]);
		await world.engine();
		await world.settled('a', ([one]) => one?.status === 'delivered');
	});

	test('X14: When a webhook is disabled and enabled, then what happened before has failed and can be recovered, what happened meanwhile is not queued, and what comes then is sent', async () => {
		const world = await EngineWorld.open(await openWorld());
		const { id: webhook } = await world.webhook('a', ok);
		await world.append('a', [newEvent('a', 1)]);
		await patch(world.webhooks, webhook, { enabled: false });
		await world.append('a', [newEvent('a', 2)]);
		await world.engine();
		await world.settled('a', ([one]) => one?.status === 'failed');
		await patch(world.webhooks, webhook, { enabled: true });
		await world.append('a', [newEvent('a', 3)]);
		await world.settled('a', (all) => all[1]?.status === 'delivered');
		await recoverWebhook(world.webhooks, { account_id: 'a', webhook_id: webhook, body: { since: timestamp(0) } });
		await world.settled('a', (all) => all.every(({ status }) => status === 'delivered'));
		expect(world.sent.map(id)).toEqual(['evt_3_1', 'evt_1_1']);
	});

	test('X14: When `events` changes 30 times before the queue has a turn, then nothing that was wanted is left out', async () => {
		const world = await EngineWorld.open(await openWorld());
		const { id: webhook } = await world.webhook('a', ok, { events: ['booking.created'] });
		const wanted: string[] = [];
		for (let booking = 1; booking <= 30; booking++) {
			const types = booking % 2 === 0 ? (['booking.created'] as const) : (['booking.updated'] as const);
			await patch(world.webhooks, webhook, { events: [...types] });
			await world.append('a', [newEvent('a', booking, 1, types[0])]);
			wanted.push(`evt_${booking}_1`);
		}
		await world.engine();
		const all = await world.settled('a', (found) => found.length === 30);
		expect(all.map(({ event_id }) => event_id)).toEqual(wanted);
		expect((await world.stored('a', webhook)).past?.length ?? 0).toBeLessThanOrEqual(10);
	});

	test('X14: When events were swept before their turn, then the webhook says which', async () => {
		const world = await EngineWorld.open(await openWorld());
		const { id: webhook } = await world.webhook('a', ok);
		await world.append('a', [newEvent('a', 1), newEvent('a', 2), newEvent('a', 3)]);
		await world.rows.events.deleteMany({ account_id: 'a', sequence: { $lte: 2 } });
		await world.engine();
		await world.settled('a', ([one]) => one?.status === 'delivered');
		expect((await world.stored('a', webhook)).missed).toEqual({ first: 1, last: 2 });
	});

	/** The first attempt is under way until the test answers it; later ones succeed. */
	async function firstUnderWay() {
		const world = await EngineWorld.open(await openWorld());
		const answer = Promise.withResolvers<{ status: number }>();
		const { id: webhook } = await world.webhook('a', () => (world.sent.length === 1 ? answer.promise : ok()));
		await world.engine();
		await world.append('a', [newEvent('a', 1)]);
		await until(() => world.sent.length === 1);
		return { world, answer, webhook };
	}

	test('X19: When an endpoint answers 410 to an attempt that began before it was enabled again, then it stays enabled, and the event is tried again', async () => {
		const { world, answer, webhook } = await firstUnderWay();
		await patch(elsewhere(world), webhook, { enabled: false });
		await patch(elsewhere(world), webhook, { enabled: true });
		answer.resolve({ status: 410 });
		const [delivery] = await world.settled('a', ([one]) => one?.attempts.length === 1);
		expect(await world.stored('a', webhook)).toMatchObject({ enabled: true, failing_since: 0 });
		expect(delivery!.status).toBe('pending');
		await world.pass(MINUTE);
		await world.settled('a', ([one]) => one?.status === 'delivered');
	});

	test('When an attempt fails that began before the webhook was read anew, and the next one succeeds, then the endpoint fails no longer', async () => {
		const { world, answer, webhook } = await firstUnderWay();
		await world.append('a', [newEvent('a', 2)]);
		await world.settled('a', (all) => all.length === 2);
		answer.resolve({ status: 500 });
		await world.settled('a', (all) => all[1]!.status === 'delivered');
		await world.becomes('a', webhook, ({ failing_since }) => failing_since === 0);
	});

	test('X19: When the URL changes, then its record is clean, and what the old one answers late does not touch it', async () => {
		const world = await EngineWorld.open(await openWorld());
		const answers = [Promise.resolve({ status: 500 }), Promise.withResolvers<{ status: number }>()] as const;
		const { id: webhook } = await world.webhook('a', () => (world.sent.length === 1 ? answers[0] : answers[1].promise));
		const { url } = await world.webhook('b', ok);
		await world.engine();
		await world.append('a', [newEvent('a', 1)]);
		await world.settled('a', ([one]) => one?.attempts.length === 1);
		await world.becomes('a', webhook, ({ failing_since }) => failing_since > 0);
		await world.pass(MINUTE);
		await until(() => world.sent.length === 2);
		const changed = await patch(elsewhere(world), webhook, { url });
		expect(changed.failing_since).toBeNull();
		answers[1].resolve({ status: 410 });
		await world.settled('a', ([one]) => one?.attempts.length === 2);
		expect(await world.stored('a', webhook)).toMatchObject({ enabled: true, failing_since: 0 });
		await world.pass(10 * MINUTE);
		await world.settled('a', ([one]) => one?.status === 'delivered');
		expect(world.sent.at(-1)!.url).toBe(url);
	});

	for (const [what, change] of [
		['another URL', { url: 'http://127.9.9.9/other' }],
		['disabled', { enabled: false }],
		['deleted', undefined],
	] as const) {
		test(`X19: When another process acknowledged that a webhook is ${what}, then no attempt as it was begins`, async () => {
			const world = await EngineWorld.open(await openWorld());
			let changed = 0;
			const { id: webhook, url } = await world.webhook('a', async () => {
				if (world.sent.length === 2) {
					const there = elsewhere(world);
					if (change) await patch(there, webhook, change);
					else await deleteWebhook(there, { account_id: 'a', webhook_id: webhook }, new Deadline(60_000));
					changed = performance.now();
				}
				return ok();
			});
			const events = Array.from({ length: 20 }, (_, number) => newEvent('a', number + 1));
			await world.append('a', events);
			await world.engine();
			await until(() => changed > 0);
			await world
				.settled('a', (all) => all.every(({ status }) => change?.url !== undefined || status !== 'pending'))
				.catch(() => {});
			await world.pass(LEASE);
			const late = world.sent.filter((message) => message.url === url && world.asked.get(message)! > changed);
			expect(late).toHaveLength(0);
		});
	}

	test('X15: When deliveries of a deleted webhook land late, then they are removed, and no alert fires for them', async () => {
		const world = await EngineWorld.open(await openWorld());
		const { id: webhook } = await world.webhook('a', ok);
		const { id: forgotten } = await world.webhook('a', ok);
		const engine = await world.engine();
		await world.append('a', [newEvent('a', 1)]);
		const landed = await world.settled(
			'a',
			(all) => all.length === 2 && all.every((one) => one.status === 'delivered'),
		);
		for (const webhook_id of [webhook, forgotten]) {
			await deleteWebhook(world.webhooks, { account_id: 'a', webhook_id }, new Deadline(60_000));
		}
		await world.settled('a', (all) => all.length === 0);
		await until(async () => (await world.stored('a', webhook)).lease === '');
		await world.rows.webhooks.deleteMany({ account_id: 'a', _id: forgotten }); // its tombstone has gone, a day later
		const late = landed.map((one) => ({ ...one, status: 'pending' as const, due_at: world.world.clock.now() }));
		await world.rows.deliveries.insertMany(late, { lean: true });
		world.world.clock.advance(2 * MINUTE);
		expect((await showBacklog(world.store)).oldest).toBe(0);
		await until(
			async () => {
				await engine.tick();
				return (await world.deliveries('a')).length === 0;
			},
			{ interval: 200 },
		);
		expect(world.sent).toHaveLength(2);
	});

	test('X15: When a delivery was queued and whoever did it died before the mark, then it is attempted all the same', async () => {
		const world = await EngineWorld.open(await openWorld());
		const { id: webhook } = await world.webhook('a', ok);
		const engine = await world.engine();
		await world.append('a', [newEvent('a', 1)]);
		const [first] = await world.settled('a', ([one]) => one?.status === 'delivered');
		await until(async () => (await world.stored('a', webhook)).lease === '');
		const lost = { ...first!, _id: 99, key: 'lost', status: 'pending' as const, due_at: world.world.clock.now() };
		await world.rows.deliveries.insertMany([lost], { lean: true });
		world.world.clock.advance(MINUTE);
		await until(
			async () => {
				await engine.tick();
				return world.sent.length === 2;
			},
			{ interval: 200 },
		);
	});
});

/** An enabled webhook as version 0.1 stored it. */
function ofVersion01(number: number, url: string) {
	const _id = 100 + number;
	const at = '2026-11-21T09:30:00.000Z';
	return {
		...{ _id, account_id: 'a', url, events: ['*'], description: null },
		...{ enabled: true, disabled_reason: null, disabled_at: null, secret: 'sealed', old_secrets: [] },
		...{ place: `a:${number}`, idempotency_key: `free:${_id}`, idempotency: null },
		...{ version: 3, created_at: at, updated_at: at, deleted_at: null, remove_at: 0, cursor: 0, wake_at: 0 },
		...{ lease: '', lease_until: 0, failing_since: 0, failed_at: 0, recover_since: 0, recover_until: 0 },
	};
}

describeForms('N6: webhooks of one account for one URL', (openWorld) => {
	test('When 12 are created at once by two processes, then 5 are', async () => {
		const world = await EngineWorld.open(await openWorld());
		const there = elsewhere(world);
		const body = { url: 'http://127.0.0.1/one' };
		const create = (webhooks: Webhooks) =>
			createWebhook(webhooks, { account_id: 'a', body }, new Deadline(60_000)).catch((error: Error) => error.message);
		const all = await Promise.all(
			Array.from({ length: 12 }, (_, number) => create(number % 2 === 0 ? world.webhooks : there)),
		);
		const refused = all.filter((one) => typeof one === 'string');
		expect(new Set(refused)).toEqual(new Set(['an account has at most 5 enabled webhooks for one URL']));
		expect(refused).toHaveLength(7);
		expect(await world.rows.webhooks.countDocuments({ account_id: 'a' })).toBe(5);
	});

	test('When others are enabled or moved there at once, then 5 are there, and one that leaves makes room', async () => {
		const world = await EngineWorld.open(await openWorld());
		const there = elsewhere(world);
		const url = 'http://127.0.0.1/one';
		const create = (body: { url: string; enabled?: boolean }) =>
			createWebhook(world.webhooks, { account_id: 'a', body }, new Deadline(60_000));
		const disabled = await Promise.all(Array.from({ length: 4 }, () => create({ url, enabled: false })));
		const others = await Promise.all(Array.from({ length: 4 }, (_, number) => create({ url: `${url}/${number}` })));
		const changes = [
			...disabled.map(
				({ data }) =>
					() =>
						patch(world.webhooks, data.id, { enabled: true }),
			),
			...others.map(
				({ data }) =>
					() =>
						patch(there, data.id, { url }),
			),
		];
		const results = await Promise.allSettled(changes.map((change) => change()));
		const done = results.filter(({ status }) => status === 'fulfilled');
		expect(done).toHaveLength(5);
		const at = () => world.rows.webhooks.find({ account_id: 'a', url, enabled: true, deleted_at: null }).lean();
		const [first, second] = await at();
		await patch(world.webhooks, first!._id, { enabled: false });
		await deleteWebhook(world.webhooks, { account_id: 'a', webhook_id: second!._id }, new Deadline(60_000));
		await create({ url: 'HTTP://127.0.0.1:80/one' });
		await create({ url });
		await expect(create({ url })).rejects.toThrow('at most 5');
		await expect(patch(world.webhooks, first!._id, { enabled: true })).rejects.toThrow('at most 5');
		await create({ url, enabled: false });
	});

	test('When webhooks were made before there was a limit, then they are counted', async () => {
		const opened = await openWorld();
		const url = 'http://127.0.0.1/one';
		const { connection } = opened.store;
		await connection.createCollection('webhooks');
		await connection
			.collection<{ _id: number }>('webhooks')
			.insertMany(Array.from({ length: 7 }, (_, n) => ofVersion01(n, url)));
		const world = await EngineWorld.open(opened);
		await world.store.prepare(); // as a second process would
		expect(await world.stored('a', 101)).toMatchObject({ past: [], epoch: 3, missed: null });
		const create = () => createWebhook(world.webhooks, { account_id: 'a', body: { url } }, new Deadline(60_000));
		await expect(create()).rejects.toThrow('at most 5');
		for (const webhook_id of [100, 101, 102]) await patch(world.webhooks, webhook_id, { enabled: false });
		for (let number = 0; number < 3; number++) await create();
		await expect(create()).rejects.toThrow('at most 5');
	});
});
