import { ApiError } from '../../../../shared/contract/errors.ts';
import type { WebhookDocument } from '../store/webhook.model.ts';
import type { WebhookStore } from '../store/webhook-store.ts';

/** @throws webhook_not_found, also where it is deleted or another account's */
export async function findWebhook(
	store: WebhookStore,
	account_id: string,
	webhook_id: number,
): Promise<WebhookDocument> {
	const filter = { _id: webhook_id, account_id, deleted_at: null };
	const webhook = await store.webhooks.findOne(filter).lean<WebhookDocument>();
	if (!webhook) throw new ApiError('webhook_not_found');
	return webhook;
}
