import { setTimeout as delay } from 'node:timers/promises';
import type { Deadline } from '../../shared/deadline.ts';
import { randomIndex } from '../../shared/ids.ts';
import { assertVersion } from '../../shared/version.ts';
import { outboxAfter } from './booking-store.ts';
import { type ChangeRequest, findSubject } from './change-booking.ts';
import type { BookingEngine } from './dependencies.ts';
import { tombstone } from './tombstone.ts';

/** Removes a booking and its customer; the place is free in the same write. */
export function deleteBooking(engine: BookingEngine, request: ChangeRequest, deadline: Deadline): Promise<'ok'> {
	return engine.changes.run(request.booking_id, async (): Promise<'ok'> => {
		for (let attempt = 1; ; attempt++) {
			if (attempt > 1) await delay(randomIndex(4 * attempt));
			deadline.assertTimeLeft();
			const { booking, slot } = await findSubject(engine, request);
			assertVersion(booking.version, request.if_match, undefined);
			const change = tombstone(booking, slot, engine.store.clock.now());
			if ((await engine.store.update(booking, change)) !== 'written') continue;
			const outbox = outboxAfter(booking, ...(change.outbox ?? []));
			engine.relay.send({ ...booking, ...change, version: booking.version + 1, outbox });
			return 'ok';
		}
	});
}
