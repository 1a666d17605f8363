import type { Params } from '../../../../shared/contract/actions.ts';
import type { WebhookWithSecret } from '../../../../shared/contract/schemas/webhook.ts';
import { newSecret } from '../store/new-secret.ts';
import { rotated, sealSecret } from '../store/secrets.ts';
import { toWebhook } from '../store/webhook.model.ts';
import type { Webhooks } from '../webhooks.ts';
import { changeWebhook } from './change-webhook.ts';

/**
 * A new secret; the old one signs along for 24 h, so that a receiver can change over without refusing anything.
 * @throws webhook_not_found
 */
export async function rotateSecret(
	webhooks: Webhooks,
	{ account_id, webhook_id }: Params<'notifications.rotateWebhookSecret'>,
): Promise<WebhookWithSecret> {
	const secret = newSecret();
	const sealed = sealSecret(webhooks.secretBox, webhook_id, secret);
	const after = await changeWebhook(webhooks, { account_id, webhook_id }, async (webhook, now) =>
		rotated(webhook, sealed, now),
	);
	return { ...toWebhook(after), secret };
}
