import type { DeliveryDocument } from '../store/delivery.model.ts';
import type { WebhookDocument } from '../store/webhook.model.ts';
import type { WebhookStore } from '../store/webhook-store.ts';
import { requeued } from '../use-cases/requeue.ts';
import { updateAsRead } from './update-as-read.ts';

/** Deliveries of one write */
const PAGE = 200;

/**
 * Queues again a page of what failed in the range that was asked for; at its end the wish is taken back, unless it became
 * another one meanwhile. What fails again is not met again: it failed after the range.
 * @returns whether there may be more
 */
export async function recoverFailed(store: WebhookStore, webhook: WebhookDocument): Promise<boolean> {
	const { _id: webhook_id, account_id, recover_since, recover_until } = webhook;
	if (recover_until === 0) return false;
	const page = await store.deliveries
		.find({ account_id, webhook_id, failed_at: { $gte: Math.max(1, recover_since), $lte: recover_until } })
		.sort({ failed_at: 1 })
		.limit(PAGE)
		.select({ _id: 1, revision: 1 })
		.lean<Pick<DeliveryDocument, '_id' | 'revision'>[]>();
	await updateAsRead(store, account_id, page, requeued(store.time.now()));
	if (page.length === PAGE) return true;
	await store.webhooks.updateOne(
		{ _id: webhook_id, account_id, recover_since, recover_until },
		{ $set: { recover_since: 0, recover_until: 0 } },
	);
	return false;
}
