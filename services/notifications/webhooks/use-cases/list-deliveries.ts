import type { QueryFilter } from 'mongoose';
import { accountKey } from '../../../../shared/contract/account-key.ts';
import type { Params, Result } from '../../../../shared/contract/actions.ts';
import { boundedCount } from '../../../../shared/store/bounded-count.ts';
import { type DeliveryDocument, toDelivery } from '../store/delivery.model.ts';
import type { WebhookStore } from '../store/webhook-store.ts';
import { findWebhook } from './find-webhook.ts';

/**
 * The deliveries of a webhook by id: at most `limit`, from `offset` or after the id `after`.
 * @throws webhook_not_found
 */
export async function listDeliveries(
	store: WebhookStore,
	{ account_id, webhook_id, filters, offset, limit, after }: Params<'notifications.listDeliveries'>,
): Promise<Result<'notifications.listDeliveries'>> {
	await findWebhook(store, account_id, webhook_id);
	const { status, event_type } = filters;
	const filter: QueryFilter<DeliveryDocument> = {
		account_id,
		webhook_id,
		...(status && { status }),
		...(event_type && { event_type }),
	};
	const [total_items, rows] = await Promise.all([
		boundedCount(store.deliveries, filter, accountKey({ account_id }, webhook_id, JSON.stringify(filters))),
		store.deliveries
			.find(after === undefined ? filter : { ...filter, _id: { $gt: after } })
			.sort({ _id: 1 })
			.skip(after === undefined ? offset : 0)
			.limit(limit)
			.lean<DeliveryDocument[]>(),
	]);
	return { deliveries: rows.map((row) => toDelivery(row, store)), total_items };
}
