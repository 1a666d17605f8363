import type { Params } from '../../../../shared/contract/actions.ts';
import { ApiError } from '../../../../shared/contract/errors.ts';
import { markWebhook } from '../queue/mark-webhooks.ts';
import { APART } from '../store/queue-time.ts';
import type { Webhooks } from '../webhooks.ts';
import { findWebhook } from './find-webhook.ts';

/**
 * Has all that failed at `since` or later sent again. The wish is written down, and the queue's owner carries it out page
 * by page; a wish that is open already is widened. Where the queues' time and this process' clock differ, the earlier of
 * both readings of `since` counts, and what failed shortly before counts, too, for the process that wrote when may be
 * behind: too much is sent rather than too little.
 * @throws webhook_not_found, webhook_disabled
 */
export async function recoverWebhook(
	{ store, changed }: Webhooks,
	{ account_id, webhook_id, body }: Params<'notifications.recoverWebhook'>,
): Promise<'ok'> {
	const wanted = Date.parse(body.since);
	const since = Math.max(0, Math.min(wanted, store.time.fromWall(wanted)) - APART); // whose clock is wrong is not known
	const filter = { account_id, webhook_id, failed_at: { $gt: 0 } };
	for (;;) {
		const webhook = await findWebhook(store, account_id, webhook_id);
		if (!webhook.enabled) throw new ApiError('webhook_disabled');
		const { recover_since, recover_until } = webhook;
		// What failed last may have done so a second from now, as the process that wrote it reckons.
		const last = await store.deliveries.findOne(filter).sort({ failed_at: -1 }).select({ failed_at: 1 }).lean();
		const recover = {
			recover_since: recover_until === 0 ? since : Math.min(recover_since, since),
			recover_until: Math.max(store.time.now(), last?.failed_at ?? 0),
		};
		const { matchedCount } = await store.webhooks.updateOne(
			{ _id: webhook_id, account_id, recover_since, recover_until, enabled: true, deleted_at: null },
			{ $set: recover },
		);
		if (matchedCount === 0) continue;
		await markWebhook(store, account_id, webhook_id);
		changed(webhook_id);
		return 'ok';
	}
}
