import { SKEW, timestamp } from '../../../shared/engine/clock.ts';
import type { DeliveryDocument } from './store/delivery.model.ts';
import type { WebhookStore } from './store/webhook-store.ts';

/** ms that a delivery is kept: as long as its event, 30 days (contract §8) */
const KEPT = 30 * 24 * 3_600_000 + SKEW;
/** Deliveries removed at a time */
const PAGE = 500;

/**
 * Removes deliveries that were queued more than 30 days ago and wait no more (those that do are attempted first: none
 * goes unheard), and deleted webhooks whose Idempotency-Key answers no more.
 * Any number of processes may do this at once.
 * @param signal ends it early
 * @returns how many deliveries were removed
 */
export async function sweepWebhooks(store: WebhookStore, signal?: AbortSignal): Promise<number> {
	const now = store.clock.now();
	await store.webhooks.deleteMany({ remove_at: { $gt: 0, $lte: now } }).setOptions({ everyAccount: true });
	const old = { created_at: { $lt: timestamp(now - KEPT) }, due_at: 0 };
	for (let removed = 0; ; ) {
		const page = await store.deliveries
			.find(old)
			.sort({ created_at: 1 })
			.limit(PAGE)
			.select({ _id: 1 })
			.setOptions({ everyAccount: true })
			.lean<Pick<DeliveryDocument, '_id'>[]>();
		if (page.length === 0 || signal?.aborted) return removed;
		const ids = page.map(({ _id }) => _id);
		const { deletedCount } = await store.deliveries
			.deleteMany({ _id: { $in: ids } })
			.setOptions({ everyAccount: true });
		removed += deletedCount;
	}
}
