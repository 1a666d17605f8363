import { requeued } from '../store/delivery.model.ts';
import type { WebhookDocument } from '../store/webhook.model.ts';
import type { WebhookStore } from '../store/webhook-store.ts';

/** What becomes of many deliveries of a webhook at once, without an attempt: a page at a time, told whether there may be more. */

/** Deliveries of one write */
const PAGE = 200;

/**
 * Those that wait for a webhook that is disabled fail: nothing is queued while it is. `recover` sends them again.
 * @param except those that are being attempted
 */
export async function failWaiting(
	{ deliveries, time }: WebhookStore,
	webhook: WebhookDocument,
	except: ReadonlyMap<number, unknown>,
): Promise<boolean> {
	const waiting = await deliveries.waiting(webhook, PAGE + except.size);
	const left = waiting.filter(({ _id }) => !except.has(_id));
	const failed = { status: 'failed', due_at: 0, failed_at: time.now() } as const;
	await deliveries.changeAsRead(webhook.account_id, left, failed);
	return left.length >= PAGE;
}

/**
 * Those that failed in the range that was asked for are queued again. At its end the wish is taken back, unless it became
 * another one meanwhile. What fails again is not met again: it failed after the range.
 */
export async function recoverFailed(
	{ deliveries, queues, time }: WebhookStore,
	webhook: WebhookDocument,
): Promise<boolean> {
	const { account_id, recover_since, recover_until } = webhook;
	if (recover_until === 0) return false;
	const page = await deliveries.failed(webhook, recover_since, recover_until, PAGE);
	await deliveries.changeAsRead(account_id, page, requeued(time.now()));
	if (page.length === PAGE) return true;
	await queues.endRecovery(webhook);
	return false;
}

/** Those of a webhook that is deleted are removed. */
export async function removeDeliveries({ deliveries }: WebhookStore, webhook: WebhookDocument): Promise<boolean> {
	return (await deliveries.removeSome(webhook, PAGE)) === PAGE;
}
