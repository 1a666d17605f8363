import { isDeepStrictEqual } from 'node:util';
import { accountKey } from '../../../../shared/contract/actions/common.ts';
import type { IfMatch, Params, Scoped } from '../../../../shared/contract/actions.ts';
import { ApiError } from '../../../../shared/contract/errors.ts';
import type { UpdateWebhook, Webhook, WebhookWithSecret } from '../../../../shared/contract/schemas/webhook.ts';
import { assertVersion } from '../../../../shared/contract/version.ts';
import { timestamp } from '../../../../shared/engine/clock.ts';
import { deleteOnce } from '../../../../shared/work/answered.ts';
import type { Deadline } from '../../../../shared/work/deadline.ts';
import { AT_ONCE } from '../store/queue-store.ts';
import { newSecret, rotated, sealSecret } from '../store/secrets.ts';
import { subscriptionEnded } from '../store/subscription.ts';
import { toWebhook, type WebhookDocument } from '../store/webhook.model.ts';
import { cleanRecord, deleted, disabled, enabled } from '../store/webhook-states.ts';
import type { WebhookStore } from '../store/webhook-store.ts';
import type { Webhooks } from '../webhooks.ts';

interface Wanted extends Scoped {
	webhook_id: number;
	if_match?: IfMatch;
	/** As the body names it */
	version?: number;
}

type Given = Pick<UpdateWebhook, 'url' | 'events' | 'description'>;

/**
 * A change of a webhook that clients see: one write, by compare-and-set on the version that was read. Its queue is woken,
 * because there may be something to do or to give up.
 *
 * @param change what becomes different; undefined: nothing does. It is asked again where somebody else was faster.
 * @returns the webhook as it is after it
 * @throws webhook_not_found, version_mismatch, version_conflict
 */
function changeWebhook(
	{ store, changes, changed }: Webhooks,
	{ account_id, webhook_id, if_match, version }: Wanted,
	change: (webhook: WebhookDocument, now: number) => Promise<Partial<WebhookDocument> | undefined>,
): Promise<WebhookDocument> {
	return changes.run(accountKey({ account_id }), async () => {
		for (;;) {
			const webhook = await store.endpoints.find({ account_id, webhook_id });
			assertVersion(webhook.version, if_match, version);
			const now = store.clock.now();
			const different = await change(webhook, now);
			if (different === undefined) return webhook;
			const next = { version: webhook.version + 1, updated_at: timestamp(now), wake_at: AT_ONCE, ...different };
			if (!(await store.endpoints.change(webhook, next))) continue;
			changed(webhook_id);
			return { ...webhook, ...next };
		}
	});
}

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
	if (given.url !== undefined) await webhooks.guard.assertAllowed(given.url);
	const after = await changeWebhook(webhooks, { account_id, webhook_id, if_match, version }, async (webhook, now) => {
		const different = differences(given, webhook);
		const turned = wanted !== undefined && wanted !== webhook.enabled;
		if (Object.keys(different).length === 0 && !turned) return undefined;
		const moved = different.url !== undefined;
		const isEnabled = wanted ?? webhook.enabled;
		return {
			...different,
			...(moved && cleanRecord(webhook)),
			...(turned && (wanted ? enabled(webhook) : disabled(webhook, 'requested', now))),
			...((turned || different.events) && (await subscriptionEnded(store, webhook))),
			...((turned || moved) && isEnabled && { url_place: await urlAllotment(store, { ...webhook, ...different }) }),
		};
	});
	return toWebhook(after);
}

async function urlAllotment(store: WebhookStore, webhook: WebhookDocument): Promise<string> {
	const allotment = await store.endpoints.chooseUrlAllotment(webhook);
	if (allotment === null) throw new ApiError('webhooks_per_url_reached');
	return allotment;
}

function differences(given: Given, webhook: WebhookDocument): Partial<Given> {
	return Object.fromEntries(
		Object.entries(given).filter(
			([name, value]) => value !== undefined && !isDeepStrictEqual(value, webhook[name as keyof Given]),
		),
	);
}

/**
 * A new secret. The old one signs as well for 24 h, so that a receiver can change over without refusing anything.
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
	const wanted = { account_id, webhook_id, if_match };
	const remove = () => changeWebhook(webhooks, wanted, async (webhook, now) => deleted(webhook, now));
	return deleteOnce('webhook_not_found', deadline, remove, () => endpoints.isDeletionUnanswered(params));
}
