import type { QueryFilter } from 'mongoose';
import type { TimeSlot } from '../../../shared/contract/schemas/time-slot.ts';
import { SKEW } from '../../../shared/engine/clock.ts';
import type { Sightings } from '../../../shared/engine/sightings.ts';
import { closeBookings } from '../close-service.ts';
import type { BookingDocument } from '../document/booking.model.ts';
import type { BookingStore } from '../document/booking-store.ts';
import { IDEMPOTENCY_TTL } from '../document/idempotency.ts';
import type { Relay } from './relay.ts';

const PAGE = 100;
/** Bookings that are watched at a time, of those that look younger than `LEFT_BEHIND_AFTER` */
const WATCHED = 1_000;
/** ms that a living process has for delivering by itself before the sweep does it */
const LEFT_BEHIND_AFTER = 1_000;
/** ms after which no write can still be under way that a tombstone fences, whose writer looks for it there, or that is repeated */
const TOMBSTONE_TTL = 60 * 60 * 1000 + SKEW;
/** Tombstones that are removed together */
const REMOVED = 500;

/**
 * Delivers what a process left in outboxes: because it died, or because the event log could not be reached.
 * Entries that look younger than a second are left to their own process for now. They may look so for an hour, where
 * that one's clock is ahead, so it counts for how long this process has seen them.
 * @param watched what this process has seen of the young ones; noted first, so that it tells of them while the log is away
 * @param all whether they are delivered, too: at the start of a process, they were left by another one
 */
export async function sweepOutboxes(
	store: BookingStore,
	relay: Relay,
	watched: Sightings,
	all: boolean,
): Promise<void> {
	const old = store.clock.now() - LEFT_BEHIND_AFTER;
	const left = await youngButLeft(store, old, watched);
	await deliverAll(store, relay, { relay_at: all ? { $gt: 0 } : { $gt: 0, $lte: old } });
	if (left.length > 0) await deliverAll(store, relay, { relay_at: { $gt: 0 }, _id: { $in: left } });
}

/** Bookings whose entries look younger than `old`, and were seen for longer than that. */
async function youngButLeft(store: BookingStore, old: number, watched: Sightings): Promise<number[]> {
	const young = await store.model
		.find({ relay_at: { $gt: Math.max(0, old) } })
		.sort({ relay_at: -1 }) // those of a clock that is ahead come first, and are never pushed out by new ones
		.limit(WATCHED)
		.select({ version: 1, relay_at: 1 })
		.setOptions({ everyAccount: true })
		.lean<Pick<BookingDocument, '_id' | 'version' | 'relay_at'>[]>();
	const states = new Map(young.map(({ _id, version, relay_at }) => [_id, `${version}:${relay_at}`]));
	return watched.unchangedFor(LEFT_BEHIND_AFTER, states);
}

/**
 * Delivers, at once, whatever is in the outboxes of the bookings that match, however young it is.
 * @returns how many bookings were delivered
 */
export async function deliverAll(
	store: BookingStore,
	relay: Relay,
	filter: QueryFilter<BookingDocument>,
): Promise<number> {
	let swept = 0;
	for (;;) {
		const documents = await store.model
			.find(filter)
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
