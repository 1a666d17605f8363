import { setImmediate as nextRound } from 'node:timers/promises';
import type { Params } from '../../shared/contract/actions.ts';
import { timestamp } from '../../shared/engine/clock.ts';
import { randomBase62 } from '../../shared/engine/ids.ts';
import { isDuplicateKey } from '../../shared/store/write-errors.ts';
import { traceOfEvent } from '../../shared/tracing/traceparent.ts';
import type { Deadline } from '../../shared/work/deadline.ts';
import type { BookingEngine } from './booking-engine.ts';
import type { BookingStore } from './document/booking-store.ts';
import { remembered } from './document/settle-change.ts';

const PAGE = 500;

/**
 * Removes every booking of a deleted service. First the mark, then the bookings, in pages, until a page finds none:
 * a booking that is being made meanwhile is either found here, or its creator finds the mark. The relay renders the
 * events from tombstone and mark. Repeating it goes on where it stopped.
 */
export async function closeService(
	{ store, sweeper }: BookingEngine,
	{ account_id, service_id, slots }: Params<'booking.closeService'>,
	deadline: Deadline,
): Promise<'ok'> {
	const mark = { _id: service_id, account_id, slots, closed_at: timestamp(store.clock.now()) };
	await store.closures.insertMany([mark], { lean: true }).catch((error: unknown) => {
		if (!isDuplicateKey(error)) throw error;
	});
	for (;;) {
		deadline.assertTimeLeft();
		const page = await store.model
			.find({ account_id, listed_under: service_id })
			.select({ _id: 1 })
			.limit(PAGE)
			.lean<{ _id: number }[]>();
		if (page.length === 0) {
			sweeper.sweepService(service_id);
			return 'ok';
		}
		await closeBookings(
			store,
			page.map(({ _id }) => _id),
		);
		await nextRound();
	}
}

/** Their keys stay: the slots' ids are never used again. */
export async function closeBookings(store: BookingStore, ids: number[]): Promise<void> {
	const now = store.clock.now();
	const at = timestamp(now);
	const write_id = randomBase62(12);
	await store.model
		.updateMany(
			{ _id: { $in: ids }, deleted_at: null },
			{
				$set: {
					deleted_at: at,
					updated_at: at,
					listed_under: 0,
					counted_under: 0,
					place: '',
					relay_at: now,
					write_id,
				},
				$inc: { version: 1 },
				$push: {
					outbox: { type: 'booking.deleted', timestamp: at, ...traceOfEvent() },
					last_writes: remembered(write_id),
				},
			},
		)
		.setOptions({ everyAccount: true });
}
