import { expect, test } from '@jest/globals';
import { EventStore, eventModel } from '../../services/notifications/log/event-store.ts';
import { notificationsService } from '../../services/notifications/notifications.service.ts';
import { sweepEvents } from '../../services/notifications/sweep.ts';
import type { NewEvent } from '../../shared/contract/actions.ts';
import { erasedBooking } from '../../shared/contract/erased.ts';
import type { Booking } from '../../shared/contract/schemas/booking.ts';
import { SKEW } from '../../shared/engine/clock.ts';
import { logOf } from './log.ts';
import { newEvents } from './new-events.ts';
import { describeForms, type World } from './service-world.ts';

const DAY = 24 * 3_600_000;

const sequences = async (world: World, account: string) =>
	(await logOf(world.store, account)).map((event) => event.sequence);
const sweep = (world: World) => sweepEvents(new EventStore(eventModel(world.store.connection)), world.clock.now());

describeForms('sweep', (openWorld) => {
	test('When events are 30 days old, then they go, but each account keeps its newest, and numbers go on', async () => {
		const world = await openWorld();
		const notifications = await world.start(notificationsService);
		const append = (account: string, first: number, count: number) =>
			notifications.call('notifications.append', { events: newEvents(account, first, count) });
		await append('all-old', 1, 3);
		await append('some-old', 10, 2);
		world.clock.advance(10 * DAY);
		await append('some-old', 12, 2);
		await append('all-new', 20, 2);
		world.clock.advance(20 * DAY + SKEW);
		expect(await sweep(world)).toBe(0); // to the millisecond
		world.clock.advance(1);
		expect(await sweep(world)).toBe(4);
		expect(await sequences(world, 'all-old')).toEqual([3]);
		expect(await sequences(world, 'some-old')).toEqual([3, 4]);
		expect(await sequences(world, 'all-new')).toEqual([1, 2]);
		expect(await sweep(world)).toBe(0);
		await append('all-old', 4, 1);
		expect(await sequences(world, 'all-old')).toEqual([3, 4]);
		expect(await sweep(world)).toBe(1);
		expect(await sequences(world, 'all-old')).toEqual([4]);
	});

	test('C3: When the newest event is 30 days old and tells of a deletion, then it stays without the person, any other as it was', async () => {
		const world = await openWorld();
		const notifications = await world.start(notificationsService);
		const types = { deleted: 'booking.deleted', cancelled: 'booking.cancelled' } as const;
		for (const [index, [account, type]] of Object.entries(types).entries()) {
			const [first, last] = newEvents(account, 10 * (index + 1), 2) as [NewEvent, NewEvent];
			await notifications.call('notifications.append', { events: [first, { ...last, type } as NewEvent] });
		}
		const [deleted] = (await logOf(world.store, 'deleted')).slice(-1);
		world.clock.advance(30 * DAY + SKEW);
		await sweep(world);
		expect((await logOf(world.store, 'deleted')).at(-1)).toEqual(deleted);
		world.clock.advance(1);
		await sweep(world);
		const [erased, cancelled] = [
			(await logOf(world.store, 'deleted'))[0]!,
			(await logOf(world.store, 'cancelled'))[0]!,
		];
		const { _id, sequence, type, timestamp, data } = deleted!;
		expect(erased).toMatchObject({ _id, sequence, type, timestamp });
		expect(erased.data).toEqual(erasedBooking(data as Booking));
		expect(JSON.stringify(erased)).not.toContain((data as Booking).customer.email!);
		expect((cancelled.data as Booking).customer.email).not.toBeNull();
		expect(await sweep(world)).toBe(0);
	});

	test('When a clock was behind, then its event is no hole in the log', async () => {
		const world = await openWorld();
		const notifications = await world.start(notificationsService);
		const append = (first: number) => notifications.call('notifications.append', { events: newEvents('a', first, 2) });
		await append(1);
		world.clock.advance(DAY);
		await append(3);
		world.clock.advance(-2 * DAY);
		await append(5);
		world.clock.advance(31 * DAY + SKEW + 1);
		await append(7);
		expect(await sweep(world)).toBe(2);
		expect(await sequences(world, 'a')).toEqual([3, 4, 5, 6, 7, 8]);
	});

	test('When many are old and three processes sweep at once, then each old event goes, and only those', async () => {
		const world = await openWorld();
		const notifications = await world.start(notificationsService);
		for (const account of ['a', 'b']) {
			const first = account === 'a' ? 1 : 10_001;
			await notifications.call('notifications.append', { events: newEvents(account, first, 1_100) });
		}
		world.clock.advance(31 * DAY + SKEW);
		await notifications.call('notifications.append', { events: newEvents('b', 20_001, 3) });
		const removed = await Promise.all([sweep(world), sweep(world), sweep(world)]);
		expect(removed.reduce((sum, each) => sum + each, 0)).toBe(1_099 + 1_100);
		expect(await sequences(world, 'a')).toEqual([1_100]);
		expect(await sequences(world, 'b')).toEqual([1_101, 1_102, 1_103]);
	});
});
