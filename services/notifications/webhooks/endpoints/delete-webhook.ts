import type { Params } from '../../../../shared/actions.ts';
import { timestamp } from '../../../../shared/clock.ts';
import type { Webhooks } from '../webhooks.ts';
import { changeWebhook } from './change-webhook.ts';
import { IDEMPOTENCY_TTL } from './idempotency.ts';
import { filler } from './webhook.model.ts';

/**
 * Deletes a webhook. From the answer on it is gone and no attempt begins; its queue's owner then removes its deliveries.
 * What is left is a tombstone, for an Idempotency-Key answers for 24 h.
 * @throws webhook_not_found, version_mismatch
 */
export async function deleteWebhook(
	webhooks: Webhooks,
	{ account_id, webhook_id, if_match }: Params<'notifications.deleteWebhook'>,
): Promise<'ok'> {
	await changeWebhook(webhooks, { account_id, webhook_id, if_match }, async ({ _id, version }, now) => ({
		deleted_at: timestamp(now),
		place: filler(_id),
		url_place: filler(_id),
		enabled: false,
		failing_since: 0,
		epoch: version + 1,
		remove_at: now + IDEMPOTENCY_TTL,
	}));
	return 'ok';
}
