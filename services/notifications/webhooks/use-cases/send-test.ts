import type { Params } from '../../../../shared/contract/actions.ts';
import { ApiError } from '../../../../shared/contract/errors.ts';
import type { Delivery } from '../../../../shared/contract/schemas/delivery.ts';
import { TEST_EVENT } from '../../../../shared/contract/schemas/webhook.ts';
import { timestamp } from '../../../../shared/engine/clock.ts';
import { randomBase62 } from '../../../../shared/engine/ids.ts';
import { newDelivery, toDelivery } from '../store/delivery.model.ts';
import type { Webhooks } from '../webhooks.ts';

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
