import type { DeliveryDocument } from '../store/delivery.model.ts';
import type { WebhookDocument } from '../store/webhook.model.ts';
import type { WebhookStore } from '../store/webhook-store.ts';
import { updateAsRead } from './update-as-read.ts';

/** Deliveries of one write */
const PAGE = 200;

/**
 * A page of the deliveries that wait for a webhook that is disabled fails: nothing is queued while it is. `recover` sends
 * them again.
 * @param except those that are being attempted
 * @returns whether there may be more
 */
export async function failWaiting(
	store: WebhookStore,
	{ _id: webhook_id, account_id }: WebhookDocument,
	except: ReadonlyMap<number, unknown>,
): Promise<boolean> {
	const waiting = await store.deliveries
		.find({ account_id, webhook_id, due_at: { $gt: 0 } })
		.sort({ due_at: 1 })
		.limit(PAGE + except.size)
		.select({ _id: 1, revision: 1 })
		.lean<Pick<DeliveryDocument, '_id' | 'revision'>[]>();
	const left = waiting.filter(({ _id }) => !except.has(_id));
	await updateAsRead(store, account_id, left, { status: 'failed', due_at: 0, failed_at: store.time.now() });
	return left.length >= PAGE;
}

/**
 * Removes a page of the deliveries of a webhook that is deleted.
 * @returns whether there may be more
 */
export async function removeDeliveries(
	store: WebhookStore,
	{ _id: webhook_id, account_id }: WebhookDocument,
): Promise<boolean> {
	const page = await store.deliveries
		.find({ account_id, webhook_id })
		.sort({ _id: 1 })
		.limit(PAGE)
		.select({ _id: 1 })
		.lean<Pick<DeliveryDocument, '_id'>[]>();
	if (page.length > 0) await store.deliveries.deleteMany({ account_id, _id: { $in: page.map(({ _id }) => _id) } });
	return page.length === PAGE;
}
