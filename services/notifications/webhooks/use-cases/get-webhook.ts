import type { Params } from '../../../../shared/contract/actions.ts';
import type { Webhook } from '../../../../shared/contract/schemas/webhook.ts';
import { toWebhook } from '../store/webhook.model.ts';
import type { WebhookStore } from '../store/webhook-store.ts';
import { findWebhook } from './find-webhook.ts';

/** @throws webhook_not_found */
export async function getWebhook(
	store: WebhookStore,
	{ account_id, webhook_id }: Params<'notifications.getWebhook'>,
): Promise<Webhook> {
	return toWebhook(await findWebhook(store, account_id, webhook_id));
}
