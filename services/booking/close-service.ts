import { setImmediate as turn } from 'node:timers/promises';
import type { Params } from '../../shared/contract/actions.ts';
import { timestamp } from '../../shared/engine/clock.ts';
import type { Deadline } from '../../shared/work/deadline.ts';
import type { BookingEngine } from './booking-engine.ts';

const PAGE = 500;

/**
 * Removes every booking of a deleted service. First the mark, then the bookings, in pages, until a page finds none:
 * a booking that is being made meanwhile is either found here, or its creator finds the mark. The relay renders the
 * events from tombstone and mark. Repeating it goes on where it stopped.
 */
export async function closeService(
	{ store, sweeper }: BookingEngine,
	{ account_id, service_id, slots, timezone }: Params<'booking.closeService'>,
	deadline: Deadline,
): Promise<'ok'> {
	const closed_at = timestamp(store.clock.now());
	await store.closures.mark({ _id: service_id, account_id, slots, timezone, closed_at });
	for (;;) {
		deadline.assertTimeLeft();
		const ids = await store.lists.someListed({ account_id, service_id }, PAGE);
		if (ids.length === 0) {
			sweeper.sweepService(service_id);
			return 'ok';
		}
		await store.all.deleteWithService(service_id, ids, store.clock.now());
		await turn();
	}
}
