import type { Params } from '../../../../shared/contract/actions.ts';
import { isError } from '../../../../shared/contract/errors.ts';
import { wasAnswered } from '../../../../shared/work/answered.ts';
import type { Deadline } from '../../../../shared/work/deadline.ts';
import { deleted } from '../store/webhook-states.ts';
import type { WebhookStore } from '../store/webhook-store.ts';
import type { Webhooks } from '../webhooks.ts';
import { changeWebhook } from './change-webhook.ts';

type DeleteParams = Params<'notifications.deleteWebhook'>;

/**
 * Deletes a webhook. From the answer on it is gone and no attempt begins; its queue's owner then removes its deliveries.
 * What is left is a tombstone: an Idempotency-Key answers for 24 h, and a repeated DELETE is answered `ok` until it is
 * noted that an answer was sent.
 * @throws webhook_not_found, version_mismatch
 */
export async function deleteWebhook(webhooks: Webhooks, params: DeleteParams, deadline: Deadline): Promise<'ok'> {
	const { endpoints } = webhooks.store;
	const { account_id, webhook_id, if_match } = params;
	const isUnanswered = () => endpoints.isDeletionUnanswered(params);
	try {
		await changeWebhook(webhooks, { account_id, webhook_id, if_match }, async (webhook, now) => deleted(webhook, now));
	} catch (error) {
		if (!isError(error, 'webhook_not_found') || !(await isUnanswered())) throw error;
		if (await wasAnswered(deadline, isUnanswered)) throw error;
	}
	return 'ok';
}

/** Notes that a client was sent the `ok`: a DELETE after it finds nothing. */
export async function noteDeletionAnswered(
	{ endpoints }: WebhookStore,
	params: Params<'notifications.deletionAnswered'>,
): Promise<'ok'> {
	await endpoints.noteDeletionAnswered(params);
	return 'ok';
}
