import type { Scoped } from '../../../../shared/contract/actions.ts';
import type { BacklogReport, WebhookReport } from '../../../../shared/contract/webhook-reports.ts';
import { timestamp } from '../../../../shared/engine/clock.ts';
import { dueSince } from '../store/delivery.model.ts';
import { toWebhook } from '../store/webhook.model.ts';
import type { WebhookStore } from '../store/webhook-store.ts';

const MOST_FAILING = 100;
/** Of the deliveries that are due the longest, those that are looked at */
const OLDEST = 100;

/** An account's webhooks with the state of their queues, for operators. */
export async function listReports(store: WebhookStore, { account_id }: Scoped): Promise<WebhookReport[]> {
	const webhooks = await store.endpoints.list(account_id);
	return Promise.all(
		webhooks.map(async (webhook) => ({ ...toWebhook(webhook), ...(await store.deliveries.counts(webhook)) })),
	);
}

/** What waits in the queues of every account, and which endpoints fail. Each look goes along an index and ends early. */
export async function showBacklog(store: WebhookStore): Promise<BacklogReport> {
	const { endpoints, deliveries, time } = store;
	const [waiting, oldest, failing] = await Promise.all([
		deliveries.countWaiting(),
		oldestDue(store),
		endpoints.failing(MOST_FAILING),
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
 * When the delivery that has waited longest was due (queues' time). One that landed after its webhook was deleted or
 * disabled does not count: nobody is waiting for it, and it is soon removed or failed.
 */
async function oldestDue({ endpoints, deliveries }: WebhookStore): Promise<number | undefined> {
	const oldest = await deliveries.longestDue(OLDEST);
	if (oldest.length === 0) return undefined;
	const enabled = await endpoints.enabledOf(oldest.map(({ webhook_id }) => webhook_id));
	const due = oldest.filter(({ webhook_id }) => enabled.has(webhook_id)).map(dueSince);
	return due.length === 0 ? undefined : Math.min(...due);
}
