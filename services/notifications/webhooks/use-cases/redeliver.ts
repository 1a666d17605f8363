import type { Params } from '../../../../shared/contract/actions.ts';
import { ApiError } from '../../../../shared/contract/errors.ts';
import type { Delivery } from '../../../../shared/contract/schemas/delivery.ts';
import { TEST_EVENT } from '../../../../shared/contract/schemas/webhook.ts';
import { timestamp } from '../../../../shared/engine/clock.ts';
import { randomBase62 } from '../../../../shared/engine/ids.ts';
import { newDelivery, requeued, toDelivery } from '../store/delivery.model.ts';
import { APART } from '../store/queue-time.ts';
import type { WebhookStore } from '../store/webhook-store.ts';
import type { Webhooks } from '../webhooks.ts';

/**
 * Sends a delivery again, whatever became of it: at once, and with the whole schedule before it. It keeps its id, so a
 * receiver that has it already can tell.
 * @throws webhook_not_found, delivery_not_found, webhook_disabled; events_expired where its event is no longer kept
 */
export async function redeliver(
	{ store, changed }: Webhooks,
	{ account_id, webhook_id, delivery_id }: Params<'notifications.redeliver'>,
): Promise<Delivery> {
	const webhook = await store.endpoints.find({ account_id, webhook_id });
	for (;;) {
		const delivery = await store.deliveries.find({ account_id, webhook_id }, delivery_id);
		if (!delivery) throw new ApiError('delivery_not_found');
		if (!webhook.enabled) throw new ApiError('webhook_disabled');
		if (delivery.test === null) await assertEventKept(store, account_id, delivery.event_id);
		const again = { ...requeued(store.time.now()), revision: delivery.revision + 1 };
		if (!(await store.deliveries.change(delivery, again))) continue;
		await store.queues.mark(webhook);
		changed(webhook_id);
		return toDelivery({ ...delivery, ...again }, store);
	}
}

async function assertEventKept({ events }: WebhookStore, account_id: string, event_id: string): Promise<void> {
	const kept = await events.present(account_id, [event_id]);
	if (!kept.has(event_id)) throw new ApiError('events_expired');
}

/**
 * Has all that failed at `since` or later sent again. The wish is written down, and the queue's owner carries it out page
 * by page. A wish that is open already is widened. Where the queues' time and this process' clock differ, the earlier of
 * both readings of `since` counts. What failed shortly before counts as well, because the process that wrote when may be
 * behind. So too much is sent rather than too little.
 * @throws webhook_not_found, webhook_disabled
 */
export async function recoverWebhook(
	{ store, changed }: Webhooks,
	{ account_id, webhook_id, body }: Params<'notifications.recoverWebhook'>,
): Promise<'ok'> {
	const wanted = Date.parse(body.since);
	const since = Math.max(0, Math.min(wanted, store.time.fromWall(wanted)) - APART); // whose clock is wrong is not known
	for (;;) {
		const webhook = await store.endpoints.find({ account_id, webhook_id });
		if (!webhook.enabled) throw new ApiError('webhook_disabled');
		const { recover_since, recover_until } = webhook;
		// What failed last may have done so a second from now, as the process that wrote it reckons.
		const last = await store.deliveries.lastFailure(webhook);
		const wish = {
			recover_since: recover_until === 0 ? since : Math.min(recover_since, since),
			recover_until: Math.max(store.time.now(), last),
		};
		if (!(await store.endpoints.noteRecovery(webhook, wish))) continue;
		await store.queues.mark(webhook);
		changed(webhook_id);
		return 'ok';
	}
}

/**
 * Queues a `webhook.test`. It is no event: it is not in the feed and has no sequence. It is sent once.
 * @throws webhook_not_found, webhook_disabled
 */
export async function sendTest(
	webhooks: Webhooks,
	{ account_id, webhook_id }: Params<'notifications.testWebhook'>,
): Promise<Delivery> {
	const { store, changed } = webhooks;
	const webhook = await store.endpoints.find({ account_id, webhook_id });
	if (!webhook.enabled) throw new ApiError('webhook_disabled');
	const event_id = `evt_test_${randomBase62(16)}`;
	const test = { timestamp: timestamp(store.clock.now()), data: { webhook_id } };
	const _id = await store.nextDeliveryIds(1);
	const of = { _id, account_id, webhook_id, event_id, event_type: TEST_EVENT, sequence: 0, test } as const;
	const delivery = newDelivery(of, store);
	await store.deliveries.insert(delivery);
	await store.queues.mark(webhook);
	changed(webhook_id);
	return toDelivery(delivery, store);
}
