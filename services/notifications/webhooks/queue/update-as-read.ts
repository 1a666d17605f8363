import type { DeliveryDocument } from '../store/delivery.model.ts';
import type { WebhookStore } from '../store/webhook-store.ts';

/**
 * Changes deliveries that are still as they were read. What somebody changed meanwhile (attempted, asked for again) stays.
 * Most have the same few revisions, so a page takes a few writes.
 */
export async function updateAsRead(
	store: WebhookStore,
	account_id: string,
	read: Pick<DeliveryDocument, '_id' | 'revision'>[],
	$set: Partial<DeliveryDocument>,
): Promise<void> {
	for (const [revision, alike] of Map.groupBy(read, (delivery) => delivery.revision)) {
		const filter = { account_id, _id: { $in: alike.map(({ _id }) => _id) }, revision };
		await store.deliveries.updateMany(filter, { $set, $inc: { revision: 1 } });
	}
}
