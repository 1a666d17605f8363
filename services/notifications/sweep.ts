import { isDeepStrictEqual } from 'node:util';
import { erasedEvent } from '../../shared/contract/erased.ts';
import { SKEW, timestamp } from '../../shared/engine/clock.ts';
import { type EventStore, isOfBooking } from './log/event-store.ts';
import type { WebhookStore } from './webhooks/store/webhook-store.ts';

/** ms that an event is kept, and a delivery of it: 30 days (contract §8) */
const KEPT = 30 * 24 * 3_600_000 + SKEW;
/** Events or deliveries removed at a time */
const PIECE = 500;

/**
 * Removes events that came into the log more than 30 days ago, account after account, the oldest first. An account's
 * newest event stays: the next sequence is read from it. Where it tells of a deletion it stays without the person. Any number of
 * processes may do this at once.
 *
 * @param now ms
 * @param signal ends it early
 * @returns how many were removed
 */
export async function sweepEvents(store: EventStore, now: number, signal?: AbortSignal): Promise<number> {
	const limit = timestamp(now - KEPT);
	let removed = 0;
	for (let oldest = await store.oldestBehind(''); oldest; oldest = await store.oldestBehind(oldest.account_id)) {
		if (signal?.aborted) break;
		if (oldest.appended_at >= limit) continue;
		removed += await sweepAccount(store, oldest.account_id, limit);
		await eraseLast(store, oldest.account_id, limit);
	}
	return removed;
}

/** Removes a beginning of the log, so that what is left has no hole even where the clocks of processes differ. */
async function sweepAccount(store: EventStore, account_id: string, limit: string): Promise<number> {
	const newest = await store.newestSequence(account_id);
	for (let removed = 0; ; ) {
		const oldest = await store.oldest(account_id, newest, PIECE);
		const kept = oldest.findIndex((event) => event.appended_at >= limit);
		const last = oldest.at(kept === -1 ? -1 : kept - 1);
		if (last === undefined || kept === 0) return removed;
		removed += await store.removeUpTo(account_id, last.sequence);
	}
}

/** Takes the person out of an account's only event, where it is old and tells that a booking was deleted. */
async function eraseLast(store: EventStore, account_id: string, limit: string): Promise<void> {
	const [last, next] = await store.after(account_id, 0, 2);
	if (last === undefined || next !== undefined || last.appended_at >= limit || last.type !== 'booking.deleted') return;
	if (!isOfBooking(last)) return;
	const erased = erasedEvent(last);
	if (!isDeepStrictEqual(erased, last)) await store.rewrite(last, { data: erased.data, previous: erased.previous });
}

/**
 * Removes deliveries that were queued more than 30 days ago and do not wait any more, and deleted webhooks whose
 * Idempotency-Key does not answer any more. A delivery that still waits is attempted first: none goes unheard.
 * Any number of processes may do this at once.
 * @param signal ends it early
 * @returns how many deliveries were removed
 */
export async function sweepWebhooks(store: WebhookStore, signal?: AbortSignal): Promise<number> {
	const now = store.clock.now();
	await store.endpoints.removeTombstones(now);
	for (let removed = 0; ; ) {
		const page = await store.deliveries.old(timestamp(now - KEPT), PIECE);
		if (page.length === 0 || signal?.aborted) return removed;
		removed += await store.deliveries.remove(page);
	}
}
