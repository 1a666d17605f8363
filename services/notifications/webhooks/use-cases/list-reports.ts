import type { QueryFilter } from 'mongoose';
import type { Scoped } from '../../../../shared/contract/actions.ts';
import type { WebhookReport } from '../../../../shared/contract/webhook-reports.ts';
import { EXACT_UP_TO } from '../../../../shared/store/bounded-count.ts';
import type { DeliveryDocument } from '../store/delivery.model.ts';
import { toWebhook } from '../store/webhook.model.ts';
import type { WebhookStore } from '../store/webhook-store.ts';
import { webhooksOf } from './list-webhooks.ts';

/** An account's webhooks with the state of their queues. */
export async function listReports(store: WebhookStore, { account_id }: Scoped): Promise<WebhookReport[]> {
	const count = (filter: QueryFilter<DeliveryDocument>) =>
		store.deliveries.countDocuments({ account_id, ...filter }, { limit: EXACT_UP_TO + 1 });
	const webhooks = await webhooksOf(store, account_id);
	return Promise.all(
		webhooks.map(async (webhook) => {
			const [waiting, failed] = await Promise.all([
				count({ webhook_id: webhook._id, due_at: { $gt: 0 } }),
				count({ webhook_id: webhook._id, status: 'failed' }),
			]);
			return { ...toWebhook(webhook), waiting, failed };
		}),
	);
}
