import type { TimeSlot } from '../../shared/api/time-slot.ts';
import type { BookingDocument } from './booking.model.ts';
import type { BookingStore } from './booking-store.ts';
import { closeBookings } from './close-service.ts';
import { IDEMPOTENCY_TTL } from './idempotency.ts';
import type { Relay } from './relay.ts';

const PAGE = 100;
/** ms that a living process has for delivering by itself before the sweep does it */
const LEFT_BEHIND_AFTER = 1_000;
/** ms after which no write can still be under way that a tombstone fences, whose writer looks for it there, or that is repeated */
const TOMBSTONE_TTL = 60 * 60 * 1000;
/** Tombstones that are removed together */
const REMOVED = 500;

/**
 * Delivers what a process left in outboxes: because it died, or because the event log could not be reached.
 * @param age ms; entries younger than this are left to their own process. 0 at the start of a process.
 * @param only the bookings of one service, right after it was closed
 * @returns how many bookings were delivered
 */
export async function sweepOutboxes(
	store: BookingStore,
	relay: Relay,
	age = LEFT_BEHIND_AFTER,
	only: { service_id?: number } = {},
): Promise<number> {
	let swept = 0;
	for (;;) {
		const documents = await store.model
			.find({ ...only, relay_at: { $gt: 0, $lte: store.clock.now() - age } })
			.sort({ relay_at: 1 })
			.limit(PAGE)
			.setOptions({ everyAccount: true })
			.lean<BookingDocument[]>();
		if (documents.length === 0) return swept;
		const closed = await closedSlots(store, documents);
		const survivors = documents.filter(
			({ deleted_at, service_id }) => deleted_at === null && closed.services.has(service_id),
		);
		if (survivors.length > 0) {
			// Made by a process that died before it looked for the mark; delivered, with their removal, in the next round.
			await closeBookings(
				store,
				survivors.map(({ _id }) => _id),
			);
			continue;
		}
		const delivered = await relay.deliver(documents, closed.slots);
		swept += delivered;
		if (delivered === 0 || documents.length < PAGE) return swept;
	}
}

/** The closure marks that these bookings meet. */
async function closedSlots(
	store: BookingStore,
	documents: BookingDocument[],
): Promise<{ services: Set<number>; slots: Map<number, TimeSlot> }> {
	const marks = await store.closures
		.find({ _id: { $in: [...new Set(documents.map((document) => document.service_id))] } })
		.setOptions({ everyAccount: true })
		.lean();
	return {
		services: new Set(marks.map((mark) => mark._id)),
		slots: new Map(marks.flatMap((mark) => mark.slots.map((slot) => [slot.id, slot] as const))),
	};
}

/** Removes tombstones whose event is delivered: after 24 h where they keep an idempotency key, else after an hour. */
export async function sweepTombstones(store: BookingStore): Promise<void> {
	const now = store.clock.now();
	const before = (ms: number) => new Date(now - ms).toISOString();
	for (const filter of [
		{
			deleted_at: { $gt: '', $lt: before(IDEMPOTENCY_TTL) },
			relay_at: 0,
			'idempotency.at': { $lt: now - IDEMPOTENCY_TTL },
		},
		{ deleted_at: { $gt: '', $lt: before(TOMBSTONE_TTL) }, relay_at: 0, idempotency: null },
	]) {
		for (let last = 0; ; ) {
			const page = await store.model
				.find({ listed_under: 0, ...filter, _id: { $gt: last } })
				.select({ _id: 1 })
				.sort({ _id: 1 })
				.limit(REMOVED)
				.setOptions({ everyAccount: true })
				.lean<{ _id: number }[]>();
			if (page.length === 0) break;
			last = page.at(-1)!._id;
			await store.model
				.deleteMany({ _id: { $in: page.map(({ _id }) => _id) }, relay_at: 0 })
				.setOptions({ everyAccount: true });
		}
	}
}
