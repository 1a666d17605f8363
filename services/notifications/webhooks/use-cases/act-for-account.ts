import { ApiError } from '../../../../shared/contract/errors.ts';
import type { Refused } from '../../../../shared/contract/refused.ts';
import type { Delivery } from '../../../../shared/contract/schemas/delivery.ts';
import type { Webhook } from '../../../../shared/contract/schemas/webhook.ts';
import { toDelivery } from '../store/delivery.model.ts';
import type { WebhookStore } from '../store/webhook-store.ts';
import type { Webhooks } from '../webhooks.ts';
import { updateWebhook } from './change-webhook.ts';
import { redeliver } from './redeliver.ts';

/** Operators name a webhook or a delivery by its id alone; what they do is then done as its account would. */

/** Deliveries of one answer, each up to 10 kB */
const MOST = 50;

/** The newest deliveries of a webhook, the oldest of them first. */
export async function latestDeliveries(
	store: WebhookStore,
	{ webhook_id }: { webhook_id: number },
): Promise<Delivery[] | Refused> {
	const owner = await store.endpoints.ownerOf(webhook_id);
	if (!owner) return noWebhook(webhook_id);
	const latest = await store.deliveries.latest(owner.account_id, webhook_id, MOST);
	return latest.reverse().map((delivery) => toDelivery(delivery, store));
}

export async function redeliverAny(
	webhooks: Webhooks,
	{ delivery_id }: { delivery_id: number },
): Promise<Delivery | Refused> {
	const delivery = await webhooks.store.deliveries.keyOf(delivery_id);
	if (!delivery) return { refused: `There is no delivery ${delivery_id}.` };
	const { account_id, webhook_id } = delivery;
	return orRefused(() => redeliver(webhooks, { account_id, webhook_id, delivery_id }));
}

export async function enableAny(
	webhooks: Webhooks,
	{ webhook_id }: { webhook_id: number },
): Promise<Webhook | Refused> {
	const owner = await webhooks.store.endpoints.ownerOf(webhook_id);
	if (!owner) return noWebhook(webhook_id);
	return orRefused(() => updateWebhook(webhooks, { ...owner, webhook_id, body: { enabled: true } }));
}

function noWebhook(webhook_id: number): Refused {
	return { refused: `There is no webhook ${webhook_id}.` };
}

async function orRefused<T>(act: () => Promise<T>): Promise<T | Refused> {
	try {
		return await act();
	} catch (error) {
		if (!(error instanceof ApiError) || error.status >= 500) throw error;
		return { refused: `It cannot be done: ${error.message}.` };
	}
}
