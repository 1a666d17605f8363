import { setTimeout as delay } from 'node:timers/promises';
import { accountKey } from '../../../../shared/contract/actions/common.ts';
import type { Created, Params } from '../../../../shared/contract/actions.ts';
import { ApiError } from '../../../../shared/contract/errors.ts';
import type { WebhookWithSecret } from '../../../../shared/contract/schemas/webhook.ts';
import { timestamp } from '../../../../shared/engine/clock.ts';
import { inTurn } from '../../../../shared/engine/keyed-queue.ts';
import type { Deadline } from '../../../../shared/work/deadline.ts';
import { AT_ONCE } from '../store/queue-store.ts';
import { newSecret, openAnswer, sealAnswer, sealSecret } from '../store/secrets.ts';
import { toWebhook, type WebhookDocument } from '../store/webhook.model.ts';
import { filler, IDEMPOTENCY_TTL } from '../store/webhook-states.ts';
import type { WebhookStore } from '../store/webhook-store.ts';
import type { Webhooks } from '../webhooks.ts';

type CreateParams = Params<'notifications.createWebhook'>;

/**
 * Creates a webhook. It gets the events of every change that begins after the answer: its cursor is the end of the log
 * before it is written.
 * @throws invalid_request, webhooks_limit_reached, webhooks_per_url_reached, idempotency_key_reused, request_in_progress;
 *   gateway_timeout where nobody knows whether it is there
 */
export async function createWebhook(
	webhooks: Webhooks,
	params: CreateParams,
	deadline: Deadline,
): Promise<Created<WebhookWithSecret>> {
	if (!params.idempotency) return create(webhooks, params);
	const key = accountKey(params, params.idempotency.key);
	return inTurn(webhooks.keyed, key, deadline, () => create(webhooks, params));
}

async function create(webhooks: Webhooks, params: CreateParams): Promise<Created<WebhookWithSecret>> {
	const first = await firstAnswer(webhooks, params);
	if (first) return first;
	await webhooks.guard.assertAllowed(params.body.url);
	const { document, answer } = await newWebhook(webhooks, params);
	for (;;) {
		const result = await webhooks.changes.run(accountKey(params), () => insert(webhooks.store, document));
		if (result === 'inserted') return { data: answer, replayed: false };
		const earlier = await firstAnswer(webhooks, params); // another process' may have taken the last allotment
		if (earlier) return earlier;
		if (result !== 'taken') throw new ApiError(result);
		await delay(Math.random() * 5); // what took the allotment may not be visible yet
	}
}

/** Inserts the webhook with allotments that are free; `taken` where somebody else was faster. */
async function insert(
	{ endpoints }: WebhookStore,
	webhook: WebhookDocument,
): Promise<'inserted' | 'taken' | 'webhooks_limit_reached' | 'webhooks_per_url_reached'> {
	const place = await endpoints.chooseAllotment(webhook.account_id);
	if (place === null) return 'webhooks_limit_reached';
	const url_place = webhook.enabled ? await endpoints.chooseUrlAllotment(webhook) : webhook.url_place;
	if (url_place === null) return 'webhooks_per_url_reached';
	return (await endpoints.insert({ ...webhook, place, url_place })) ? 'inserted' : 'taken';
}

/**
 * The first answer that was given under the Idempotency-Key, if there is one, also after its webhook was changed or
 * deleted.
 * @throws idempotency_key_reused where it was another request's
 */
async function firstAnswer(
	{ store, secretBox }: Webhooks,
	{ account_id, idempotency }: CreateParams,
): Promise<Created<WebhookWithSecret> | undefined> {
	if (!idempotency) return undefined;
	const webhook = await store.endpoints.createdUnder(account_id, idempotencyKeyOf(account_id, idempotency.key));
	if (!webhook?.idempotency) return undefined;
	const { at, fingerprint, answer } = webhook.idempotency;
	if (store.clock.now() - at > IDEMPOTENCY_TTL) {
		await store.endpoints.freeKey(webhook);
		return undefined;
	}
	if (fingerprint !== idempotency.fingerprint) throw new ApiError('idempotency_key_reused');
	return { data: openAnswer(secretBox, webhook._id, answer), replayed: true };
}

function idempotencyKeyOf(account_id: string, key: string): string {
	return `${account_id}:webhook.create:${key}`;
}

async function newWebhook({ store, secretBox }: Webhooks, { account_id, body, idempotency }: CreateParams) {
	const _id = await store.nextWebhookId();
	const cursor = await store.events.newestSequence(account_id);
	const now = store.clock.now();
	const enabled = body.enabled ?? true;
	const secret = newSecret();
	const document: WebhookDocument = {
		_id,
		account_id,
		url: body.url,
		events: body.events ?? ['*'],
		description: body.description ?? null,
		enabled,
		disabled_reason: enabled ? null : 'requested',
		disabled_at: enabled ? null : timestamp(now),
		secret: sealSecret(secretBox, _id, secret),
		old_secrets: [],
		place: filler(_id),
		url_place: filler(_id),
		idempotency_key: idempotency ? idempotencyKeyOf(account_id, idempotency.key) : filler(_id),
		idempotency: null,
		version: 1,
		created_at: timestamp(now),
		updated_at: timestamp(now),
		deleted_at: null,
		delete_answered: false,
		remove_at: 0,
		cursor,
		past: [],
		epoch: 1,
		missed: null,
		wake_at: AT_ONCE, // an event may have come since the cursor was read, when there was no webhook to wake
		lease: '',
		lease_until: 0,
		failing_since: 0,
		failed_at: 0,
		recover_since: 0,
		recover_until: 0,
	};
	const answer: WebhookWithSecret = { ...toWebhook(document), secret };
	if (idempotency) {
		const { fingerprint } = idempotency;
		document.idempotency = { fingerprint, at: now, answer: sealAnswer(secretBox, _id, answer) };
	}
	return { document, answer };
}
