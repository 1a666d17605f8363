import { isDeepStrictEqual } from 'node:util';
import type { Params } from '../../../../shared/contract/actions.ts';
import { ApiError } from '../../../../shared/contract/errors.ts';
import type { UpdateWebhook, Webhook } from '../../../../shared/contract/schemas/webhook.ts';
import { subscriptionEnded } from '../store/subscription.ts';
import { chooseUrlPlace } from '../store/url-place.ts';
import { toWebhook, type WebhookDocument } from '../store/webhook.model.ts';
import { cleanRecord, disabled, enabled } from '../store/webhook-states.ts';
import type { WebhookStore } from '../store/webhook-store.ts';
import type { Webhooks } from '../webhooks.ts';
import { assertTarget } from './assert-target.ts';
import { changeWebhook } from './change-webhook.ts';

type Given = Pick<UpdateWebhook, 'url' | 'events' | 'description'>;

/**
 * Changes what is given and different.
 * @throws invalid_request, webhook_not_found, webhooks_per_url_reached, version_mismatch, version_conflict
 */
export async function updateWebhook(
	webhooks: Webhooks,
	{ account_id, webhook_id, body, if_match }: Params<'notifications.updateWebhook'>,
): Promise<Webhook> {
	const { store } = webhooks;
	const { version, enabled: wanted, ...given } = body;
	if (given.url !== undefined) await assertTarget(webhooks.guard, given.url);
	const after = await changeWebhook(webhooks, { account_id, webhook_id, if_match, version }, async (webhook, now) => {
		const different = differences(given, webhook);
		const turned = wanted !== undefined && wanted !== webhook.enabled;
		if (Object.keys(different).length === 0 && !turned) return undefined;
		const moved = different.url !== undefined;
		const changed = { ...webhook, ...different };
		const isPlaced = wanted ?? webhook.enabled;
		return {
			...different,
			...(moved && cleanRecord(webhook)),
			...(turned && (wanted ? enabled(webhook) : disabled(webhook, 'requested', now))),
			...((turned || different.events) && (await subscriptionEnded(store, webhook))),
			...((turned || moved) && isPlaced && { url_place: await urlPlace(store, changed) }),
		};
	});
	return toWebhook(after);
}

async function urlPlace(store: WebhookStore, webhook: WebhookDocument): Promise<string> {
	const place = await chooseUrlPlace(store, webhook);
	if (place === null) throw new ApiError('webhooks_per_url_reached');
	return place;
}

function differences(given: Given, webhook: WebhookDocument): Partial<Given> {
	return Object.fromEntries(
		Object.entries(given).filter(
			([name, value]) => value !== undefined && !isDeepStrictEqual(value, webhook[name as keyof Given]),
		),
	);
}
