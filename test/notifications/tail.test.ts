import { expect, test } from '@jest/globals';
import { notificationsService } from '../../services/notifications/notifications.service.ts';
import type { BookingEvent, BookingEventType } from '../../shared/contract/schemas/event.ts';
import { Deadline } from '../../shared/work/deadline.ts';
import { newEvent } from './new-events.ts';
import { noLock } from './no-lock.ts';
import { describeForms, type ServiceProcess } from './service-world.ts';

const COUNT = 600;
const PATIENT = { timeout: 60_000 };
const typeOf = (booking: number): BookingEventType => (booking % 3 === 0 ? 'booking.updated' : 'booking.created');

/** Reads on as the log grows, as a client with a cursor does, until it has seen `count` events. */
async function tail(process: ServiceProcess, count: number, limit: number, types?: BookingEventType[]) {
	const seen: BookingEvent[] = [];
	const patience = new Deadline(200_000);
	while (seen.length < count && patience.remaining() > 0) {
		const params = { account_id: 'a', after: seen.at(-1)?.sequence ?? 0, limit, types, wait: 5 };
		const { events } = await process.call('notifications.listEvents', params, PATIENT);
		seen.push(...(events as BookingEvent[]));
	}
	return seen;
}

describeForms('W1: readers of a growing log', (openWorld) => {
	test('When three processes append without the lock, then each reader sees each event once and in order', async () => {
		const world = await openWorld();
		const processes = await Promise.all([1, 2, 3].map(() => world.start(notificationsService, { lock: noLock })));
		const append = async (process: ServiceProcess, index: number) => {
			for (let booking = index; booking < COUNT; booking += 3 * 4) {
				const bookings = [0, 3, 6, 9].map((step) => booking + step).filter((each) => each < COUNT);
				const events = bookings.map((each) => newEvent('a', each + 1, 1, typeOf(each + 1)));
				await process.call('notifications.append', { events }, PATIENT);
			}
		};
		const updates = COUNT / 3;
		const [all, large, updated, both] = await Promise.all([
			tail(processes[0]!, COUNT, 7),
			tail(processes[1]!, COUNT, 1000),
			tail(processes[2]!, updates, 5, ['booking.updated']),
			tail(processes[0]!, COUNT, 9, ['booking.updated', 'booking.created']),
			...processes.map(append),
		]);
		const everything = Array.from({ length: COUNT }, (_, index) => index + 1);
		for (const seen of [all, large, both]) expect(seen!.map((event) => event.sequence)).toEqual(everything);
		const expected = all!.filter((event) => event.type === 'booking.updated').map((event) => event.sequence);
		expect(updated!.map((event) => event.sequence)).toEqual(expected);
	});
});
