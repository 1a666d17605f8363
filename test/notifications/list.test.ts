import { expect, test } from '@jest/globals';
import { AppendSignals } from '../../services/notifications/log/append-signals.ts';
import { EventStore, eventModel } from '../../services/notifications/log/event-store.ts';
import { listEvents, readEvents } from '../../services/notifications/log/read-events.ts';
import { notificationsService } from '../../services/notifications/notifications.service.ts';
import { sweepEvents } from '../../services/notifications/sweep.ts';
import type { NewEvent } from '../../shared/contract/actions.ts';
import type { BookingEventType, EventList } from '../../shared/contract/schemas/event.ts';
import { SKEW } from '../../shared/engine/clock.ts';
import { Deadline } from '../../shared/work/deadline.ts';
import { newEvent, newEvents } from './new-events.ts';
import { describeForms, type World } from './service-world.ts';

const DAY = 24 * 3_600_000;

interface Query {
	account_id?: string;
	after?: number;
	limit?: number;
	types?: BookingEventType[];
	booking_id?: number;
	wait?: number;
}

/** A feed with these events in it. */
async function feedOf(world: World, events: NewEvent[]) {
	const notifications = await world.start(notificationsService);
	const append = (more: NewEvent[]) => notifications.call('notifications.append', { events: more });
	await append(events);
	const list = ({ account_id = 'a', after = 0, limit = 100, types, booking_id, wait }: Query = {}) =>
		notifications.call('notifications.listEvents', { account_id, after, limit, types, booking_id, wait });
	return { append, list };
}

const shown = ({ events, has_more }: EventList) => ({ sequences: events.map((event) => event.sequence), has_more });
const range = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, index) => first + index);

/** created, confirmed, updated, updated, created, confirmed … of one booking after another */
function mixed(count: number): NewEvent[] {
	const types: BookingEventType[] = ['booking.created', 'booking.confirmed', 'booking.updated', 'booking.updated'];
	return range(0, count - 1).map((index) =>
		newEvent('a', 1 + Math.floor(index / 4), 1 + (index % 4), types[index % 4]),
	);
}

const expired = { type: 'events_expired', code: 410 };
/** What somebody is told who was further on than the log is. */
const beyond = (after: number, end: number) => ({
	...expired,
	message:
		`after: the feed ends with ${end}, so ${after} was given out before an older backup was restored, or is of another ` +
		'feed: read the bookings anew, then go on with after=0',
});

describeForms('listEvents', (openWorld) => {
	test('When there is no event, then the list is empty', async () => {
		const { list } = await feedOf(await openWorld(), newEvents('b', 1, 3));
		expect(await list()).toEqual({ events: [], has_more: false, next_after: 0 });
		expect(await list({ types: ['booking.created'] })).toEqual({ events: [], has_more: false, next_after: 0 });
	});

	test('When a limit is given, then as many come, and has_more tells whether there is one more', async () => {
		const { list } = await feedOf(await openWorld(), newEvents('a', 1, 10));
		expect(shown(await list({ limit: 4 }))).toEqual({ sequences: [1, 2, 3, 4], has_more: true });
		expect(shown(await list({ after: 4, limit: 6 }))).toEqual({ sequences: range(5, 10), has_more: false });
		expect(shown(await list({ after: 4, limit: 5 }))).toEqual({ sequences: range(5, 9), has_more: true });
		expect(shown(await list({ after: 10 }))).toEqual({ sequences: [], has_more: false });
	});

	test('When there are more than one query reads, then they come without a seam', async () => {
		const { list } = await feedOf(await openWorld(), newEvents('a', 1, 502));
		expect(shown(await list({ limit: 500 }))).toEqual({ sequences: range(1, 500), has_more: true });
		expect(shown(await list({ after: 1, limit: 501 }))).toEqual({ sequences: range(2, 502), has_more: false });
		const types: BookingEventType[] = ['booking.created'];
		expect(shown(await list({ limit: 500, types }))).toEqual({ sequences: range(1, 500), has_more: true });
		expect(shown(await list({ after: 1, limit: 501, types }))).toEqual({ sequences: range(2, 502), has_more: false });
	});

	test('When types are given, then only they come, and has_more is about them', async () => {
		const { list } = await feedOf(await openWorld(), mixed(12));
		const types: BookingEventType[] = ['booking.created', 'booking.updated'];
		expect(shown(await list({ types }))).toEqual({ sequences: [1, 3, 4, 5, 7, 8, 9, 11, 12], has_more: false });
		expect(shown(await list({ types, limit: 4 }))).toEqual({ sequences: [1, 3, 4, 5], has_more: true });
		expect(shown(await list({ types, after: 5, limit: 5 }))).toEqual({ sequences: [7, 8, 9, 11, 12], has_more: false });
		const confirmed: BookingEventType[] = ['booking.confirmed', 'booking.confirmed'];
		expect(shown(await list({ types: confirmed, after: 6 }))).toEqual({ sequences: [10], has_more: false });
		expect(shown(await list({ types: confirmed, after: 2, limit: 2 }))).toEqual({
			sequences: [6, 10],
			has_more: false,
		});
		expect(shown(await list({ types: ['booking.deleted'] }))).toEqual({ sequences: [], has_more: false });
	});

	test('When none or few of the events are of the types, then who goes on from the answer does not read the others again', async () => {
		const { list } = await feedOf(await openWorld(), mixed(12));
		const none: EventList = { events: [], has_more: false, next_after: 12 };
		expect(await list({ types: ['booking.deleted'] })).toEqual(none);
		expect((await list({ types: ['booking.confirmed'] })).next_after).toBe(12); // the last one is the tenth event
		expect((await list({ booking_id: 1 })).next_after).toBe(12);
	});

	test('When events come between the queries for two types, then none is left out for good', async () => {
		const world = await openWorld();
		const { append } = await feedOf(world, [newEvent('a', 1)]);
		const model = eventModel(world.store.connection);
		// The second and third event come after the first type was read and before the second type is.
		const find = (filter: { type?: BookingEventType }) => {
			const query = model.find(filter);
			const read = query.exec.bind(query);
			query.exec = async () => {
				if (filter.type === 'booking.updated') await append([newEvent('a', 2), newEvent('a', 2, 2)]);
				return read();
			};
			return query;
		};
		const racing = new Proxy(model, { get: (target, key) => (key === 'find' ? find : Reflect.get(target, key)) });
		const types: BookingEventType[] = ['booking.created', 'booking.updated'];
		expect(
			shown(await readEvents(new EventStore(racing), { account_id: 'a', after: 0, limit: 10, types })).sequences,
		).toEqual([1]);
		expect(
			shown(await readEvents(new EventStore(model), { account_id: 'a', after: 1, limit: 10, types })).sequences,
		).toEqual([2, 3]);
	});

	test('When a booking’s event comes while its events are looked for, then the next answer has it, and this one has not', async () => {
		const world = await openWorld();
		const { append, list } = await feedOf(world, [newEvent('a', 1), newEvent('a', 2)]);
		class Racing extends EventStore {
			override async ofBooking(account_id: string, booking_id: number) {
				await append([newEvent('a', 3), newEvent('a', 1, 2)]);
				return super.ofBooking(account_id, booking_id);
			}
		}
		const racing = new Racing(eventModel(world.store.connection));
		const first = await readEvents(racing, { account_id: 'a', after: 0, limit: 10, booking_id: 1 });
		const second = await list({ after: first.next_after, booking_id: 1 });
		expect([shown(first).sequences, shown(second).sequences]).toEqual([[1], [4]]);
	});

	test('W7: When events go while those before them are read, then the answer ends there, and the next one is 410', async () => {
		const world = await openWorld();
		const { list } = await feedOf(world, newEvents('a', 1, 502));
		class Swept extends EventStore {
			override async after(account_id: string, after: number, count: number) {
				if (after > 0) await this.removeUpTo(account_id, 400);
				return super.after(account_id, after, count);
			}
		}
		const swept = new Swept(eventModel(world.store.connection));
		const first = await readEvents(swept, { account_id: 'a', after: 0, limit: 1000 });
		const { sequences } = shown(first);
		expect(sequences.length).toBeLessThan(400);
		expect(sequences).toEqual(range(1, sequences.length));
		await expect(list({ after: first.next_after })).rejects.toMatchObject(expired);
	});

	test('When the events are large, then an answer ends at 512 KiB, and the next goes on there', async () => {
		const message = '\u{1F600}'.repeat(1000); // 4 KB
		const large = range(1, 300).map((booking) => newEvent('a', booking, 1, 'booking.created', message));
		const { list } = await feedOf(await openWorld(), large);
		for (const types of [undefined, ['booking.created', 'booking.updated'] satisfies BookingEventType[]]) {
			const first = await list({ limit: 1000, types });
			const bytes = Buffer.byteLength(JSON.stringify({ data: first }));
			expect(bytes).toBeLessThanOrEqual(512 * 1024);
			expect(bytes).toBeGreaterThan(500 * 1024);
			expect(first.has_more).toBe(true);
			const end = first.events.at(-1)!.sequence;
			expect(shown(first).sequences).toEqual(range(1, end));
			expect((await list({ after: end, limit: 1000, types })).events[0]?.sequence).toBe(end + 1);
		}
	});

	test('A4: When another account asks, then it sees nothing of this one', async () => {
		const { list, append } = await feedOf(await openWorld(), newEvents('a', 1, 3));
		await append([newEvent('b', 4)]);
		const { events } = await list({ account_id: 'b' });
		expect(events.map((event) => [event.id, event.sequence])).toEqual([['evt_4_1', 1]]);
		expect((await list({ account_id: 'c' })).events).toEqual([]);
	});

	test('When events are older than 30 days, then after 0 begins at the oldest kept, and an older one is 410', async () => {
		const world = await openWorld();
		const { list, append } = await feedOf(world, mixed(8));
		world.clock.advance(30 * DAY + SKEW + 1);
		await append(newEvents('a', 100, 4));
		expect(await sweepEvents(new EventStore(eventModel(world.store.connection)), world.clock.now())).toBe(8);
		for (const types of [undefined, ['booking.created', 'booking.updated'] satisfies BookingEventType[]]) {
			expect(shown(await list({ types }))).toEqual({ sequences: range(9, 12), has_more: false });
			for (const after of [1, 7]) await expect(list({ after, types })).rejects.toMatchObject(expired);
			// Nothing that follows the eighth is missing.
			expect(shown(await list({ after: 8, types }))).toEqual({ sequences: range(9, 12), has_more: false });
			expect(shown(await list({ after: 11, types }))).toEqual({ sequences: [12], has_more: false });
			expect(shown(await list({ after: 12, types }))).toEqual({ sequences: [], has_more: false });
		}
	});

	test('W7: When `after` is beyond the end of the log, then it is 410, whatever is asked for, and at once', async () => {
		const { list, append } = await feedOf(await openWorld(), newEvents('a', 1, 10));
		const asked: Query[] = [{}, { types: ['booking.deleted'] }, { booking_id: 1 }, { wait: 30 }, { limit: 1 }];
		for (const query of asked) {
			for (const after of [11, 9_007_199_254_740_991]) {
				await expect(list({ ...query, after })).rejects.toMatchObject(beyond(after, 10));
			}
		}
		expect(await list({ after: 10 })).toEqual({ events: [], has_more: false, next_after: 10 });
		await append(newEvents('a', 11, 1));
		expect(await list({ after: 11 })).toEqual({ events: [], has_more: false, next_after: 11 });
		await expect(list({ after: 12 })).rejects.toMatchObject(beyond(12, 11));
	});

	test('W7: When there is no event, then only `after` 0 is the end of the log', async () => {
		const { list } = await feedOf(await openWorld(), newEvents('b', 1, 3));
		expect(await list({ after: 0, wait: 1 })).toEqual({ events: [], has_more: false, next_after: 0 });
		await expect(list({ after: 3 })).rejects.toMatchObject(beyond(3, 0));
	});

	test('W7: When all events are older than 30 days, then who has read them waits for the next one, and gets it', async () => {
		const world = await openWorld();
		const { list, append } = await feedOf(world, newEvents('a', 1, 10));
		const sweep = () => sweepEvents(new EventStore(eventModel(world.store.connection)), world.clock.now());
		world.clock.advance(30 * DAY + SKEW + 1);
		expect([await sweep(), await sweep()]).toEqual([9, 0]);
		for (const types of [undefined, ['booking.deleted'] satisfies BookingEventType[]]) {
			expect(await list({ after: 10, types })).toEqual({ events: [], has_more: false, next_after: 10 });
			await expect(list({ after: 11, types })).rejects.toMatchObject(beyond(11, 10));
			await expect(list({ after: 8, types })).rejects.toMatchObject(expired);
		}
		await append(newEvents('a', 11, 1));
		expect(shown(await list({ after: 10 }))).toEqual({ sequences: [11], has_more: false });
		world.clock.advance(30 * DAY + SKEW + 1);
		expect(await sweep()).toBe(1);
		expect(shown(await list({ after: 10 }))).toEqual({ sequences: [11], has_more: false });
		expect(shown(await list({ after: 11 }))).toEqual({ sequences: [], has_more: false });
	});

	test('W7: When a read lags behind what a majority has, then nobody is told that they are beyond the end', async () => {
		const world = await openWorld();
		await feedOf(world, newEvents('a', 1, 10));
		const model = eventModel(world.store.connection);
		let asked = 0;
		/** A new primary does not show the last event, unless it asks the others first. */
		const findOne = (filter: { account_id: string }) => {
			const query = model.findOne(filter);
			const read = query.exec.bind(query);
			query.exec = async () => {
				const found = await read();
				const hasAsked = query.getOptions().readConcern?.level === 'linearizable';
				if (hasAsked) asked++;
				return hasAsked || (found?.sequence ?? 0) < 10 ? found : null;
			};
			return query;
		};
		const behind = new Proxy(model, { get: (of, key) => (key === 'findOne' ? findOne : Reflect.get(of, key)) });
		const waiting = { signals: new AppendSignals(), isStopping: () => false };
		const list = (after: number) =>
			listEvents(new EventStore(behind), waiting, { account_id: 'a', after, limit: 10 }, new Deadline(10_000));
		expect(await list(10)).toEqual({ events: [], has_more: false, next_after: 10 });
		await expect(list(11)).rejects.toMatchObject(expired);
		expect(asked).toBe(2);
	});

	test('W7: When somebody waits at the end of the log, then one read more than before looks whether it is the end', async () => {
		const world = await openWorld();
		await feedOf(world, newEvents('a', 1, 10));
		const model = eventModel(world.store.connection);
		let reads = 0;
		const counting = new Proxy(model, {
			get: (target, key) => {
				if (key === 'find' || key === 'findOne') reads++;
				return Reflect.get(target, key);
			},
		});
		const waiting = { signals: new AppendSignals(), isStopping: () => false };
		const list = async (after: number, wait?: number) => {
			reads = 0;
			const selection = { account_id: 'a', after, limit: 5, ...(wait && { wait }) };
			await listEvents(new EventStore(counting), waiting, selection, new Deadline(30_000));
			return reads;
		};
		expect(await list(0)).toBe(1);
		expect(await list(4)).toBe(1);
		expect(await list(10)).toBe(3);
		expect((await list(10, 2)) % 2).toBe(1); // two a look, and the one more
	});
});
