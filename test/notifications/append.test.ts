import { expect, test } from '@jest/globals';
import { EventAppender } from '../../services/notifications/log/append-events.ts';
import { EventLog } from '../../services/notifications/log/event-log.ts';
import {
	type EventDocument,
	EventStore,
	eventModel,
	toDocument,
} from '../../services/notifications/log/event-store.ts';
import { notificationsService } from '../../services/notifications/notifications.service.ts';
import { isDuplicateKey } from '../../shared/store/write-errors.ts';
import { Deadline } from '../../shared/work/deadline.ts';
import { until } from '../support/until.ts';
import { expectGapless, logOf } from './log.ts';
import { newEvent, newEvents } from './new-events.ts';
import { noLock } from './no-lock.ts';
import { describeForms } from './service-world.ts';

const DAY = 24 * 3_600_000;

describeForms('append', (openWorld) => {
	test('When events of several accounts are appended, then each account counts from 1, in the order given', async () => {
		const world = await openWorld();
		const notifications = await world.start(notificationsService);
		const events = [newEvent('a', 1), newEvent('b', 2), newEvent('a', 3), newEvent('a', 1, 2), newEvent('b', 4)];
		expect(await notifications.call('notifications.append', { events })).toBe('ok');
		const ids = async (account: string) => (await logOf(world.store, account)).map((event) => event._id);
		expect(await ids('a')).toEqual(['evt_1_1', 'evt_3_1', 'evt_1_2']);
		expect(await ids('b')).toEqual(['evt_2_1', 'evt_4_1']);
		expectGapless(await logOf(world.store, 'a'));
		expectGapless(await logOf(world.store, 'b'));
	});

	test('When an event is appended, then the feed shows it as it came, key order included, and nothing else', async () => {
		const world = await openWorld();
		const notifications = await world.start(notificationsService);
		const event = newEvent('a', 1, 1, 'booking.created', 'a\u0000b\u2028 \u{1F600} $where');
		await notifications.call('notifications.append', { events: [event] });
		const { events } = await notifications.call('notifications.listEvents', { account_id: 'a', after: 0, limit: 10 });
		const { id, type, timestamp, data, previous } = event;
		expect(JSON.stringify(events)).toBe(JSON.stringify([{ id, type, timestamp, sequence: 1, data, previous }]));
	});

	test('When events come again, alone, among new ones or twice at once, then only new ones get numbers', async () => {
		const world = await openWorld();
		const notifications = await world.start(notificationsService);
		const append = (...bookings: number[]) =>
			notifications.call('notifications.append', { events: bookings.map((booking) => newEvent('a', booking)) });
		await append(1, 2, 3);
		await append(2);
		await append(1, 2, 3);
		await append(4, 2, 5, 3, 3, 6, 6);
		await append(6, 7);
		const log = await logOf(world.store, 'a');
		expect(log.map((event) => event.data.id)).toEqual([1, 2, 3, 4, 5, 6, 7]);
		expectGapless(log);
	});

	test('L9: When the service has started, then the store alone refuses a number that is taken', async () => {
		const world = await openWorld();
		await world.start(notificationsService);
		const model = eventModel(world.store.connection);
		const write = (booking: number, account: string) =>
			model.insertMany([toDocument(newEvent(account, booking), 1, '2026-11-21T09:30:00.000Z')]);
		await write(1, 'a');
		await write(2, 'b');
		const refused = await write(3, 'a').catch((error: unknown) => error);
		expect(isDuplicateKey(refused)).toBe(true);
	});

	test('When no events are given, then nothing happens', async () => {
		const world = await openWorld();
		const notifications = await world.start(notificationsService);
		expect(await notifications.call('notifications.append', { events: [] })).toBe('ok');
	});

	for (const [name, options] of [
		['with', {}],
		['without', { lock: noLock }],
	] as const) {
		test(`W1: When three processes append at once ${name} the lock, then there is no gap and nothing twice`, async () => {
			const world = await openWorld();
			const processes = await Promise.all([1, 2, 3].map(() => world.start(notificationsService, options)));
			// Each booking's events come from every process: its whole history so far, as the relay sends it.
			const calls = Array.from({ length: 120 }, (_, index) => {
				const booking = 1 + Math.floor(index / 6);
				const account = `account-${booking % 2}`;
				return Array.from({ length: 1 + (index % 4) }, (_, version) => newEvent(account, booking, version + 1));
			});
			const answers = await Promise.all(
				calls.map((events, index) =>
					processes[index % 3]!.call('notifications.append', { events }, { timeout: 25_000 }),
				),
			);
			expect(new Set(answers)).toEqual(new Set(['ok']));
			for (const account of ['account-0', 'account-1']) {
				const log = await logOf(world.store, account);
				const sent = calls.flat().filter((event) => event.account_id === account);
				expect(new Set(log.map((event) => event._id))).toEqual(new Set(sent.map((event) => event.id)));
				expectGapless(log);
			}
		});
	}

	test('When three processes append all the time without the lock, then none is starved', async () => {
		const world = await openWorld();
		const options = { lock: noLock };
		const processes = await Promise.all([1, 2, 3].map(() => world.start(notificationsService, options)));
		const done = [0, 0, 0];
		const append = async (index: number) => {
			for (let booking = index; done.some((count) => count < 20); booking += 3) {
				await processes[index]!.call('notifications.append', { events: [newEvent('a', booking + 1)] });
				done[index]!++;
			}
		};
		await Promise.all([0, 1, 2].map(append));
		// The others go on all the time, so each has had its turn twenty times while they wanted theirs.
		expect(Math.min(...done)).toBeGreaterThanOrEqual(20);
	});

	test('W1: When events that a process missed are swept already, then it goes on at the end all the same', async () => {
		const world = await openWorld();
		const [first, second] = [await world.start(notificationsService), await world.start(notificationsService)];
		await first!.call('notifications.append', { events: newEvents('a', 1, 2) });
		await second!.call('notifications.append', { events: newEvents('a', 3, 5) });
		world.clock.advance(31 * DAY);
		await world.start(notificationsService); // a start sweeps
		await until(async () => (await logOf(world.store, 'a')).length === 1, { what: 'the sweep' });
		await first!.call('notifications.append', { events: newEvents('a', 8, 2) });
		const log = await logOf(world.store, 'a');
		expect(log.map((event) => event.sequence)).toEqual([7, 8, 9]);
	});

	test('When one of those who share a batch waits no longer, then the others’ events are appended all the same', async () => {
		const world = await openWorld();
		await world.start(notificationsService);
		const [impatient, patient] = [new Deadline(500), new Deadline(60_000)];
		const store = new EventStore(eventModel(world.store.connection));
		class Slow extends EventStore {
			override async insert(events: EventDocument[]) {
				await until(() => impatient.remaining() < 0);
				// Another process has taken the number meanwhile, so there is another attempt.
				await store.insert([toDocument(newEvent('a', 1), 1, '2026-11-21T09:30:00.000Z')]);
				return super.insert(events);
			}
		}
		const log = new EventLog(new Slow(eventModel(world.store.connection)), world.clock);
		const appender = new EventAppender(log, noLock, () => {});
		const first = appender.append([newEvent('a', 2)], impatient);
		const second = appender.append([newEvent('a', 3)], patient);
		await Promise.allSettled([first, second]);
		await expect(second).resolves.toBeUndefined();
		expect((await logOf(world.store, 'a')).map((event) => event.data.id)).toContain(3);
	});

	test('When the caller waits no longer, then nothing is written', async () => {
		const world = await openWorld();
		let letGo = (): void => {};
		const held = new Promise<undefined>((resolve) => {
			letGo = () => resolve(undefined);
		});
		const notifications = await world.start(notificationsService, { lock: { ...noLock, acquire: () => held } });
		const deadline = new Deadline(100);
		const late = notifications.call('notifications.append', { events: newEvents('a', 1, 1) }, { timeout: 20 });
		await expect(late).rejects.toMatchObject({ type: 'gateway_timeout' });
		await until(() => deadline.remaining() < 0);
		letGo();
		await notifications.call('notifications.append', { events: newEvents('a', 2, 1) });
		expect((await logOf(world.store, 'a')).map((event) => event.data.id)).toEqual([2]);
	});
});
