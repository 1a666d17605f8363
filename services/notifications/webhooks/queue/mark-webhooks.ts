import { retryDeadlock } from '../../../../shared/store/write-errors.ts';
import { withoutDeadline } from '../../../../shared/work/deadline.ts';
import type { WebhookStore } from '../store/webhook-store.ts';

/** A mark: the queue is to be looked at now, whatever the clock of the process that looks says. */
export const AT_ONCE = 1;
const UNMARKED = { $or: [{ wake_at: 0 }, { wake_at: { $gt: AT_ONCE } }] };

/**
 * Writes down that the accounts' logs have grown: their webhooks have something to do. An append is acknowledged only
 * behind this, and is repeated until it is acknowledged, so no event is ever left without somebody who looks.
 * @returns whether a webhook was marked that was not already
 */
export async function markWebhooks(store: WebhookStore, account_ids: string[]): Promise<boolean> {
	if (account_ids.length === 0) return false;
	const { modifiedCount } = await retryDeadlock(() =>
		store.webhooks.updateMany(
			{ account_id: { $in: account_ids }, deleted_at: null, enabled: true, ...UNMARKED },
			{ $set: { wake_at: AT_ONCE } },
		),
	);
	return modifiedCount > 0;
}

/** The same for one webhook, after work for it was written: that is done, whoever still waits for it. */
export async function markWebhook(store: WebhookStore, account_id: string, webhook_id: number): Promise<void> {
	const unmarked = { _id: webhook_id, account_id, ...UNMARKED };
	await withoutDeadline(() => store.webhooks.updateOne(unmarked, { $set: { wake_at: AT_ONCE } }).exec());
}
