import type { Params, Result, Scoped } from '../../../../shared/contract/actions.ts';
import type { BacklogReport, WebhookReport } from '../../../../shared/contract/reports.ts';
import { pagination } from '../../../../shared/contract/schemas/pagination.ts';
import type { Webhook, WebhookList } from '../../../../shared/contract/schemas/webhook.ts';
import { timestamp } from '../../../../shared/engine/clock.ts';
import { dueSince, toDelivery } from '../store/delivery.model.ts';
import { toWebhook } from '../store/webhook.model.ts';
import type { WebhookStore } from '../store/webhook-store.ts';

/** @throws webhook_not_found */
export async function getWebhook(
	{ endpoints }: WebhookStore,
	params: Params<'notifications.getWebhook'>,
): Promise<Webhook> {
	return toWebhook(await endpoints.find(params));
}

/** The account's webhooks by id. There are at most 25, so all are read at once and the page is cut from them. */
export async function listWebhooks(
	{ endpoints }: WebhookStore,
	{ account_id, page, page_size }: Params<'notifications.listWebhooks'>,
): Promise<WebhookList> {
	const all = await endpoints.list(account_id);
	const start = Math.min((page - 1) * page_size, all.length);
	return {
		webhooks: all.slice(start, start + page_size).map(toWebhook),
		pagination: pagination(page, page_size, all.length),
	};
}

/**
 * The deliveries of a webhook by id: at most `limit`, from `offset` or after the id `after`.
 * @throws webhook_not_found
 */
export async function listDeliveries(
	store: WebhookStore,
	{ account_id, webhook_id, filters, offset, limit, after }: Params<'notifications.listDeliveries'>,
): Promise<Result<'notifications.listDeliveries'>> {
	const webhook = await store.endpoints.find({ account_id, webhook_id });
	const { rows, total } = await store.deliveries.list(webhook, filters, { offset, after }, limit);
	return { deliveries: rows.map((row) => toDelivery(row, store)), total_items: total };
}

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
