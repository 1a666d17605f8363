import type { Scoped } from '../../../../shared/contract/actions.ts';
import { ApiError } from '../../../../shared/contract/errors.ts';
import type { Refused } from '../../../../shared/contract/refused.ts';
import type { Delivery } from '../../../../shared/contract/schemas/delivery.ts';
import type { Webhook } from '../../../../shared/contract/schemas/webhook.ts';
import { type DeliveryDocument, toDelivery } from '../store/delivery.model.ts';
import type { WebhookStore } from '../store/webhook-store.ts';
import type { Webhooks } from '../webhooks.ts';
import { redeliver } from './redeliver.ts';
import { updateWebhook } from './update-webhook.ts';

/** Operators name a webhook or a delivery by its id alone; what they do is then done as its account would. */

/** Deliveries of one answer, each up to 10 kB */
const MOST = 50;

/** The newest deliveries of a webhook, the oldest of them first. */
export async function latestDeliveries(
	store: WebhookStore,
	{ webhook_id }: { webhook_id: number },
): Promise<Delivery[] | Refused> {
	const owner = await ownerOf(store, webhook_id);
	if (!owner) return noWebhook(webhook_id);
	const { account_id } = owner;
	const latest = await store.deliveries
		.find({ account_id, webhook_id })
		.sort({ _id: -1 })
		.limit(MOST)
		.lean<DeliveryDocument[]>();
	return latest.reverse().map((delivery) => toDelivery(delivery, store));
}

export async function redeliverAny(
	webhooks: Webhooks,
	{ delivery_id }: { delivery_id: number },
): Promise<Delivery | Refused> {
	const delivery = await webhooks.store.deliveries
		.findOne({ _id: delivery_id })
		.select({ account_id: 1, webhook_id: 1 })
		.setOptions({ everyAccount: true })
		.lean<Pick<DeliveryDocument, 'account_id' | 'webhook_id'>>();
	if (!delivery) return { refused: `There is no delivery ${delivery_id}.` };
	const { account_id, webhook_id } = delivery;
	return orRefused(() => redeliver(webhooks, { account_id, webhook_id, delivery_id }));
}

export async function enableAny(
	webhooks: Webhooks,
	{ webhook_id }: { webhook_id: number },
): Promise<Webhook | Refused> {
	const owner = await ownerOf(webhooks.store, webhook_id);
	if (!owner) return noWebhook(webhook_id);
	return orRefused(() => updateWebhook(webhooks, { ...owner, webhook_id, body: { enabled: true } }));
}

async function ownerOf(store: WebhookStore, webhook_id: number): Promise<Scoped | null> {
	const found = await store.webhooks
		.findOne({ _id: webhook_id, deleted_at: null })
		.select({ account_id: 1 })
		.setOptions({ everyAccount: true })
		.lean<Scoped>();
	return found && { account_id: found.account_id };
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
