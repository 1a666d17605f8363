import type { Params } from '../../../../shared/contract/actions.ts';
import { ApiError } from '../../../../shared/contract/errors.ts';
import type { Delivery } from '../../../../shared/contract/schemas/delivery.ts';
import { markWebhook } from '../queue/mark-webhooks.ts';
import { type DeliveryDocument, toDelivery } from '../store/delivery.model.ts';
import type { Webhooks } from '../webhooks.ts';
import { findWebhook } from './find-webhook.ts';
import { requeued } from './requeue.ts';

/**
 * Sends a delivery again, whatever became of it: at once, and with the whole schedule before it. It keeps its id, so a
 * receiver that has it already can tell.
 * @throws webhook_not_found, delivery_not_found, webhook_disabled; events_expired where its event is no longer kept
 */
export async function redeliver(
	webhooks: Webhooks,
	{ account_id, webhook_id, delivery_id }: Params<'notifications.redeliver'>,
): Promise<Delivery> {
	const { store, changed } = webhooks;
	const { enabled } = await findWebhook(store, account_id, webhook_id);
	const filter = { _id: delivery_id, account_id, webhook_id };
	for (;;) {
		const delivery = await store.deliveries.findOne(filter).lean<DeliveryDocument>();
		if (!delivery) throw new ApiError('delivery_not_found');
		if (!enabled) throw new ApiError('webhook_disabled');
		await assertEventKept(webhooks, delivery);
		const { revision } = delivery;
		const again = { ...requeued(store.time.now()), revision: revision + 1 };
		const { matchedCount } = await store.deliveries.updateOne({ ...filter, revision }, { $set: again });
		if (matchedCount === 0) continue;
		await markWebhook(store, account_id, webhook_id);
		changed(webhook_id);
		return toDelivery({ ...delivery, ...again }, store);
	}
}

async function assertEventKept({ store }: Webhooks, { account_id, event_id, test }: DeliveryDocument): Promise<void> {
	if (test === null && !(await store.events.exists({ account_id, _id: event_id })))
		throw new ApiError('events_expired');
}
