import type { Params } from '../../../../shared/contract/actions.ts';
import { pagination } from '../../../../shared/contract/schemas/pagination.ts';
import { WEBHOOKS_LIMIT, type WebhookList } from '../../../../shared/contract/schemas/webhook.ts';
import { toWebhook, type WebhookDocument } from '../store/webhook.model.ts';
import type { WebhookStore } from '../store/webhook-store.ts';

/** The account's webhooks by id. There are at most 25, so that they are read at once and the page is cut from them. */
export async function listWebhooks(
	store: WebhookStore,
	{ account_id, page, page_size }: Params<'notifications.listWebhooks'>,
): Promise<WebhookList> {
	const all = await webhooksOf(store, account_id);
	const start = Math.min((page - 1) * page_size, all.length);
	return {
		webhooks: all.slice(start, start + page_size).map(toWebhook),
		pagination: pagination(page, page_size, all.length),
	};
}

export function webhooksOf(store: WebhookStore, account_id: string): Promise<WebhookDocument[]> {
	return store.webhooks
		.find({ account_id, deleted_at: null })
		.sort({ _id: 1 })
		.limit(WEBHOOKS_LIMIT)
		.lean<WebhookDocument[]>();
}
