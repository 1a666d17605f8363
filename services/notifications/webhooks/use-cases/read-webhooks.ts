import type { Params } from '../../../../shared/contract/actions.ts';
import { pagination } from '../../../../shared/contract/schemas/pagination.ts';
import type { Webhook, WebhookList } from '../../../../shared/contract/schemas/webhook.ts';
import { toWebhook } from '../store/webhook.model.ts';
import type { WebhookStore } from '../store/webhook-store.ts';

/** @throws webhook_not_found */
export async function getWebhook(
	{ endpoints }: WebhookStore,
	params: Params<'notifications.getWebhook'>,
): Promise<Webhook> {
	return toWebhook(await endpoints.find(params));
}

/** The account's webhooks by id. There are at most 25, so all are read at once and the page is cut from them. */
export async function listWebhooks(
	{ endpoints }: WebhookStore,
	{ account_id, page, page_size }: Params<'notifications.listWebhooks'>,
): Promise<WebhookList> {
	const all = await endpoints.list(account_id);
	const start = Math.min((page - 1) * page_size, all.length);
	return {
		webhooks: all.slice(start, start + page_size).map(toWebhook),
		pagination: pagination(page, page_size, all.length),
	};
}
