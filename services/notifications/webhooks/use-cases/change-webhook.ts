import { accountKey } from '../../../../shared/contract/account-key.ts';
import type { IfMatch, Scoped } from '../../../../shared/contract/actions.ts';
import { assertVersion } from '../../../../shared/contract/version.ts';
import { timestamp } from '../../../../shared/engine/clock.ts';
import { isDuplicateKey, retryDeadlock } from '../../../../shared/store/write-errors.ts';
import { AT_ONCE } from '../queue/mark-webhooks.ts';
import type { WebhookDocument } from '../store/webhook.model.ts';
import type { Webhooks } from '../webhooks.ts';
import { findWebhook } from './find-webhook.ts';

interface Wanted extends Scoped {
	webhook_id: number;
	if_match?: IfMatch;
	/** As the body names it */
	version?: number;
}

/**
 * A change of a webhook that clients see: one write, by compare-and-set on the version that was read. Its queue is woken,
 * for there may be something to do or to give up.
 *
 * @param change what becomes different; undefined: nothing does. It is asked again where somebody else was faster.
 * @returns the webhook as it is after it
 * @throws webhook_not_found, version_mismatch, version_conflict
 */
export function changeWebhook(
	webhooks: Webhooks,
	{ account_id, webhook_id, if_match, version }: Wanted,
	change: (webhook: WebhookDocument, now: number) => Promise<Partial<WebhookDocument> | undefined>,
): Promise<WebhookDocument> {
	const { store, changes } = webhooks;
	return changes.run(accountKey({ account_id }), async () => {
		for (;;) {
			const webhook = await findWebhook(store, account_id, webhook_id);
			assertVersion(webhook.version, if_match, version);
			const now = store.clock.now();
			const different = await change(webhook, now);
			if (different === undefined) return webhook;
			const $set = { version: webhook.version + 1, updated_at: timestamp(now), wake_at: AT_ONCE, ...different };
			if (!(await write(webhooks, webhook, $set))) continue;
			webhooks.changed(webhook_id);
			return { ...webhook, ...$set };
		}
	});
}

/** @returns false where somebody else was faster: with a change of it, or at the place that it chose */
async function write(
	{ store }: Webhooks,
	{ _id, account_id, version }: WebhookDocument,
	$set: Partial<WebhookDocument>,
): Promise<boolean> {
	try {
		const filter = { _id, account_id, version, deleted_at: null };
		const { matchedCount } = await retryDeadlock(() => store.webhooks.updateOne(filter, { $set }));
		return matchedCount === 1;
	} catch (error) {
		if (isDuplicateKey(error)) return false;
		throw error;
	}
}
