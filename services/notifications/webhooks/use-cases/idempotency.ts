import type { Created, Idempotency } from '../../../../shared/contract/actions.ts';
import { ApiError } from '../../../../shared/contract/errors.ts';
import type { WebhookWithSecret } from '../../../../shared/contract/schemas/webhook.ts';
import { SKEW } from '../../../../shared/engine/clock.ts';
import { openAnswer } from '../store/secrets.ts';
import { filler, type WebhookDocument } from '../store/webhook.model.ts';
import type { Webhooks } from '../webhooks.ts';

/** ms that a first answer is kept: 24 h by every process' clock */
export const IDEMPOTENCY_TTL = 24 * 60 * 60 * 1000 + SKEW;

export function idempotencyKeyOf(account_id: string, key: string): string {
	return `${account_id}:webhook.create:${key}`;
}

/**
 * The first answer that was given under the key, if there is one, also after its webhook was changed or deleted.
 * @throws idempotency_key_reused where it was another request's
 */
export async function findFirstAnswer(
	{ store, secretBox }: Webhooks,
	account_id: string,
	{ key, fingerprint }: Idempotency,
): Promise<Created<WebhookWithSecret> | undefined> {
	const filter = { account_id, idempotency_key: idempotencyKeyOf(account_id, key) };
	const webhook = await store.webhooks.findOne(filter).lean<WebhookDocument>();
	if (!webhook?.idempotency) return undefined;
	const { _id, idempotency } = webhook;
	if (store.clock.now() - idempotency.at > IDEMPOTENCY_TTL) {
		const free = { idempotency_key: filler(_id), idempotency: null };
		await store.webhooks.updateOne({ ...filter, _id }, { $set: free });
		return undefined;
	}
	if (idempotency.fingerprint !== fingerprint) throw new ApiError('idempotency_key_reused');
	return { data: openAnswer(secretBox, _id, idempotency.answer), replayed: true };
}
