import { isDeepStrictEqual } from 'node:util';
import type { Params } from '../../../../shared/actions.ts';
import type { Webhook } from '../../../../shared/api/webhook.ts';
import type { Webhooks } from '../webhooks.ts';
import { assertTarget } from './assert-target.ts';
import { changeWebhook } from './change-webhook.ts';
import { disabled, enabled } from './enabling.ts';
import { toWebhook } from './webhook.model.ts';

/**
 * Changes what is given and different.
 * @throws invalid_request, webhook_not_found, version_mismatch, version_conflict
 */
export async function updateWebhook(
	webhooks: Webhooks,
	{ account_id, webhook_id, body, if_match }: Params<'notifications.updateWebhook'>,
): Promise<Webhook> {
	const { version, enabled: wanted, ...given } = body;
	if (given.url !== undefined) await assertTarget(webhooks.guard, given.url);
	const after = await changeWebhook(webhooks, { account_id, webhook_id, if_match, version }, async (webhook, now) => {
		const different = Object.entries(given).filter(
			([name, value]) => value !== undefined && !isDeepStrictEqual(value, webhook[name as keyof typeof given]),
		);
		const turned = wanted !== undefined && wanted !== webhook.enabled;
		if (different.length === 0 && !turned) return undefined;
		const turn = turned && (wanted ? await enabled(webhooks.store, webhook) : disabled('requested', now));
		return { ...Object.fromEntries(different), ...turn };
	});
	return toWebhook(after);
}
