import { expect, test } from '@jest/globals';
import type { BrokerOptions } from 'moleculer';
import { notificationsService } from '../../services/notifications/notifications.service.ts';
import { readConfig } from '../../shared/config/config.ts';
import type { BookingEventType, EventList } from '../../shared/contract/schemas/event.ts';
import { bound } from '../support/bound.ts';
import { until } from '../support/until.ts';
import { newEvent } from './new-events.ts';
import { describeForms, type ServiceProcess } from './service-world.ts';

const clusterConfig = readConfig({
	NATS_URL: 'nats://127.0.0.1:4222',
	REDIS_URL: 'redis://127.0.0.1:6379',
	MONGO_URL: 'mongodb://127.0.0.1:27017',
	SECRET_KEY: Buffer.alloc(32, 1).toString('base64'),
});

/** Two processes on one bus. */
const bus = (namespace: string, nodeID: string): BrokerOptions => ({ namespace, nodeID, transporter: 'Fake' });

/** A poll under way, and how long (ms) it took from `mark` on. */
function poll(process: ServiceProcess, wait: number, after = 0, types?: BookingEventType[]) {
	let start = performance.now();
	const params = { account_id: 'a', after, limit: 10, types, wait };
	const list = process.call('notifications.listEvents', params, { timeout: wait * 1000 + 30_000 });
	return {
		mark: () => {
			start = performance.now();
		},
		answer: async (): Promise<EventList & { ms: number }> => ({ ...(await list), ms: performance.now() - start }),
	};
}

const append = (process: ServiceProcess, booking: number, type: BookingEventType = 'booking.created') =>
	process.call('notifications.append', { events: [newEvent('a', booking, 1, type)] });

/** A poll looks without a signal, too, every 900 ms; of ten, a busy machine lets one come before the next look. */
const TRIES = 10;
const isWoken = (ms: number) => ms < 500;

/** Until the poll has looked once and waits. */
const settle = () => new Promise((resolve) => setTimeout(resolve, 100));

describeForms('long poll', (openWorld) => {
	test('When there are events already, then the answer comes at once', async () => {
		const world = await openWorld();
		const notifications = await world.start(notificationsService);
		await append(notifications, 1);
		const { events, ms } = await poll(notifications, 30).answer();
		expect(events).toHaveLength(1);
		expect(ms).toBeLessThan(bound(5_000, 20_000));
	});

	test('When an event comes meanwhile, then it wakes the poll at once', async () => {
		const world = await openWorld();
		const notifications = await world.start(notificationsService);
		const delays: number[] = [];
		for (let booking = 1; booking <= TRIES && !delays.some(isWoken); booking++) {
			const waiting = poll(notifications, 30, booking - 1);
			await settle();
			waiting.mark();
			await append(notifications, booking);
			const { events, ms } = await waiting.answer();
			expect(events.map((event) => event.sequence)).toEqual([booking]);
			delays.push(ms);
		}
		expect(delays.filter(isWoken)).toHaveLength(1);
	});

	test('When another process appends, then a broadcast wakes the poll at once', async () => {
		const world = await openWorld();
		const namespace = `bus-${world.store.form}`;
		const [here, there] = await Promise.all([
			world.start(notificationsService, { config: clusterConfig, broker: bus(namespace, 'here') }),
			world.start(notificationsService, { config: clusterConfig, broker: bus(namespace, 'there') }),
		]);
		await until(() => there!.broker.registry.nodes.list({ onlyAvailable: true }).length === 2);
		const delays: number[] = [];
		for (let booking = 1; booking <= TRIES && !delays.some(isWoken); booking++) {
			const waiting = poll(here!, 30, booking - 1);
			await settle();
			waiting.mark();
			await append(there!, booking);
			delays.push((await waiting.answer()).ms);
		}
		expect(delays.filter(isWoken)).toHaveLength(1);
	});

	test('When the signal of another process gets lost, then the poll finds the event all the same', async () => {
		const world = await openWorld();
		const [here, there] = await Promise.all([1, 2].map(() => world.start(notificationsService)));
		const waiting = poll(here!, 30);
		await settle();
		await append(there!, 1);
		const { events, ms } = await waiting.answer();
		expect(events).toHaveLength(1);
		expect(ms).toBeLessThan(bound(10_000, 25_000));
	});

	test('When only other types and other accounts come, then the poll ends empty after its time', async () => {
		const world = await openWorld();
		const notifications = await world.start(notificationsService);
		const waiting = poll(notifications, 1, 0, ['booking.deleted']);
		await append(notifications, 1);
		await notifications.call('notifications.append', { events: [newEvent('b', 2, 1, 'booking.deleted')] });
		const { events, has_more, ms } = await waiting.answer();
		expect({ events, has_more }).toEqual({ events: [], has_more: false });
		expect(ms).toBeGreaterThan(950);
		expect(ms).toBeLessThan(bound(5_000, 30_000));
	});

	test('When its type comes after others, then the poll ends with it', async () => {
		const world = await openWorld();
		const notifications = await world.start(notificationsService);
		const waiting = poll(notifications, 30, 0, ['booking.deleted']);
		await append(notifications, 1);
		await settle();
		await append(notifications, 2, 'booking.deleted');
		expect((await waiting.answer()).events.map((event) => event.sequence)).toEqual([2]);
	});

	test('When the caller waits less long than the poll would, then it is answered in time', async () => {
		const world = await openWorld();
		const notifications = await world.start(notificationsService);
		const params = { account_id: 'a', after: 0, limit: 10, wait: 30 };
		const list = await notifications.call('notifications.listEvents', params, { timeout: 4_000 });
		expect(list).toEqual({ events: [], has_more: false, next_after: expect.any(Number) });
	});

	test('T5: When the process is stopped, then its polls end early, with an answer', async () => {
		const world = await openWorld();
		const notifications = await world.start(notificationsService);
		const waiting = poll(notifications, 30);
		await settle();
		waiting.mark();
		notifications.readiness.stopping();
		await notifications.broker.stop();
		const { events, ms } = await waiting.answer();
		expect(events).toEqual([]);
		expect(ms).toBeLessThan(bound(5_000, 20_000));
	});
});
