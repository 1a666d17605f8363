import type { Params } from '../../../../shared/contract/actions.ts';
import { isError } from '../../../../shared/contract/errors.ts';
import { timestamp } from '../../../../shared/engine/clock.ts';
import { wasAnswered } from '../../../../shared/work/answered.ts';
import type { Deadline } from '../../../../shared/work/deadline.ts';
import { filler, type WebhookDocument } from '../store/webhook.model.ts';
import type { WebhookStore } from '../store/webhook-store.ts';
import type { Webhooks } from '../webhooks.ts';
import { changeWebhook } from './change-webhook.ts';
import { IDEMPOTENCY_TTL } from './idempotency.ts';

type DeleteParams = Params<'notifications.deleteWebhook'>;

/**
 * Deletes a webhook. From the answer on it is gone and no attempt begins; its queue's owner then removes its deliveries.
 * What is left is a tombstone, for an Idempotency-Key answers for 24 h, and a repeated DELETE is answered `ok` until it is
 * noted that an answer was sent.
 * @throws webhook_not_found, version_mismatch
 */
export async function deleteWebhook(webhooks: Webhooks, params: DeleteParams, deadline: Deadline): Promise<'ok'> {
	try {
		await remove(webhooks, params);
	} catch (error) {
		if (!isError(error, 'webhook_not_found') || !(await isUnanswered(webhooks, params))) throw error;
		if (await wasAnswered(deadline, () => isUnanswered(webhooks, params))) throw error;
	}
	return 'ok';
}

/** Notes that a client was sent the `ok`: a DELETE after it finds nothing. */
export async function noteDeletionAnswered(
	{ webhooks }: WebhookStore,
	{ account_id, webhook_id }: Params<'notifications.deletionAnswered'>,
): Promise<'ok'> {
	const deleted = { _id: webhook_id, account_id, deleted_at: { $ne: null } };
	await webhooks.updateOne(deleted, { $set: { delete_answered: true } });
	return 'ok';
}

function remove(webhooks: Webhooks, { account_id, webhook_id, if_match }: DeleteParams): Promise<WebhookDocument> {
	return changeWebhook(webhooks, { account_id, webhook_id, if_match }, async ({ _id, version }, now) => ({
		deleted_at: timestamp(now),
		place: filler(_id),
		url_place: filler(_id),
		enabled: false,
		failing_since: 0,
		epoch: version + 1,
		remove_at: now + IDEMPOTENCY_TTL,
	}));
}

async function isUnanswered({ store }: Webhooks, { account_id, webhook_id }: DeleteParams): Promise<boolean> {
	const unanswered = { _id: webhook_id, account_id, deleted_at: { $ne: null }, delete_answered: false };
	return (await store.webhooks.exists(unanswered)) !== null;
}
