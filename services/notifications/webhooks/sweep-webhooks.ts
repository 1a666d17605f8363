import { SKEW, timestamp } from '../../../shared/engine/clock.ts';
import type { WebhookStore } from './store/webhook-store.ts';

/** ms that a delivery is kept: as long as its event, 30 days (contract §8) */
const KEPT = 30 * 24 * 3_600_000 + SKEW;
/** Deliveries removed at a time */
const PAGE = 500;

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
		const page = await store.deliveries.old(timestamp(now - KEPT), PAGE);
		if (page.length === 0 || signal?.aborted) return removed;
		removed += await store.deliveries.remove(page);
	}
}
