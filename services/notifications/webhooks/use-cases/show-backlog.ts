import type { BacklogReport } from '../../../../shared/contract/webhook-reports.ts';
import { timestamp } from '../../../../shared/engine/clock.ts';
import { EXACT_UP_TO } from '../../../../shared/store/bounded-count.ts';
import { type DeliveryDocument, dueSince } from '../store/delivery.model.ts';
import type { WebhookDocument } from '../store/webhook.model.ts';
import type { WebhookStore } from '../store/webhook-store.ts';

const MOST_FAILING = 100;
/** Of the deliveries that are due the longest, those that are looked at */
const OLDEST = 100;

/** What waits in the queues of every account, and which endpoints fail. Each look goes along an index and ends early. */
export async function showBacklog(store: WebhookStore): Promise<BacklogReport> {
	const { webhooks, deliveries, time } = store;
	const [waiting, oldest, failing] = await Promise.all([
		deliveries.countDocuments({ due_at: { $gt: 0 } }, { limit: EXACT_UP_TO + 1 }).setOptions({ everyAccount: true }),
		oldestDue(store),
		webhooks
			.find({ failing_since: { $gt: 0 } })
			.sort({ failing_since: 1 })
			.limit(MOST_FAILING)
			.setOptions({ everyAccount: true })
			.lean<WebhookDocument[]>(),
	]);
	return {
		waiting,
		oldest: oldest === undefined ? 0 : Math.max(0, time.now() - oldest),
		failing: failing.map(({ account_id, _id, failing_since }) => ({
			account_id,
			webhook_id: _id,
			since: timestamp(failing_since),
		})),
	};
}

/**
 * When the delivery was due that has waited longest (queues' time). One that landed after its webhook was deleted or disabled waits
 * for nobody, and is soon removed or failed.
 */
async function oldestDue({ webhooks, deliveries }: WebhookStore): Promise<number | undefined> {
	const oldest = await deliveries
		.find({ due_at: { $gt: 0 } })
		.sort({ due_at: 1 })
		.limit(OLDEST)
		.select({ webhook_id: 1, due_at: 1, made: 1 })
		.setOptions({ everyAccount: true })
		.lean<Pick<DeliveryDocument, 'webhook_id' | 'due_at' | 'made'>[]>();
	if (oldest.length === 0) return undefined;
	const owners = await webhooks
		.find({ _id: { $in: [...new Set(oldest.map(({ webhook_id }) => webhook_id))] }, enabled: true, deleted_at: null })
		.select({ _id: 1 })
		.setOptions({ everyAccount: true })
		.lean<Pick<WebhookDocument, '_id'>[]>();
	const sentTo = new Set(owners.map(({ _id }) => _id));
	const due = oldest.filter(({ webhook_id }) => sentTo.has(webhook_id)).map(dueSince);
	return due.length === 0 ? undefined : Math.min(...due);
}
