import type { Params, Result } from '../../../../shared/contract/actions.ts';
import { toDelivery } from '../store/delivery.model.ts';
import type { WebhookStore } from '../store/webhook-store.ts';

/**
 * The deliveries of a webhook by id: at most `limit`, from `offset` or after the id `after`.
 * @throws webhook_not_found
 */
export async function listDeliveries(
	store: WebhookStore,
	{ account_id, webhook_id, filters, offset, limit, after }: Params<'notifications.listDeliveries'>,
): Promise<Result<'notifications.listDeliveries'>> {
	const webhook = await store.endpoints.find({ account_id, webhook_id });
	const { rows, total } = await store.deliveries.list(webhook, filters, { offset, after }, limit);
	return { deliveries: rows.map((row) => toDelivery(row, store)), total_items: total };
}
