import { setTimeout as delay } from 'node:timers/promises';
import { accountKey } from '../../../../shared/contract/account-key.ts';
import type { Created, Params } from '../../../../shared/contract/actions.ts';
import { ApiError } from '../../../../shared/contract/errors.ts';
import type { WebhookWithSecret } from '../../../../shared/contract/schemas/webhook.ts';
import { timestamp } from '../../../../shared/engine/clock.ts';
import { inTurn } from '../../../../shared/engine/keyed-queue.ts';
import { isDuplicateKey, mayStillLand, retryDeadlock } from '../../../../shared/store/write-errors.ts';
import type { Deadline } from '../../../../shared/work/deadline.ts';
import { newestSequence } from '../../log/event-log.ts';
import { AT_ONCE } from '../queue/mark-webhooks.ts';
import { choosePlace } from '../store/choose-place.ts';
import { newSecret } from '../store/new-secret.ts';
import { sealAnswer, sealSecret } from '../store/secrets.ts';
import { chooseUrlPlace } from '../store/url-place.ts';
import { filler, toWebhook, type WebhookDocument } from '../store/webhook.model.ts';
import type { Webhooks } from '../webhooks.ts';
import { assertTarget } from './assert-target.ts';
import { findFirstAnswer, idempotencyKeyOf } from './idempotency.ts';

type CreateParams = Params<'notifications.createWebhook'>;

/**
 * Creates a webhook. It gets the events of every change that begins after the answer: its cursor is the end of the log
 * before it is written.
 * @throws invalid_request, webhooks_limit_reached, webhooks_per_url_reached, idempotency_key_reused, request_in_progress; gateway_timeout where
 *   nobody knows whether it is there
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
	await assertTarget(webhooks.guard, params.body.url);
	const { document, answer } = await newWebhook(webhooks, params);
	for (;;) {
		const result = await webhooks.changes.run(accountKey(params), () => place(webhooks, document));
		if (result === 'placed') return { data: answer, replayed: false };
		const earlier = await firstAnswer(webhooks, params); // another process' may have taken the last place
		if (earlier) return earlier;
		if (result !== 'taken') throw new ApiError(result);
		await delay(Math.random() * 5); // what took the place may not be visible yet
	}
}

/** Writes the webhook at places that are free; `taken` where somebody else was faster. */
async function place(
	webhooks: Webhooks,
	webhook: WebhookDocument,
): Promise<'placed' | 'taken' | 'webhooks_limit_reached' | 'webhooks_per_url_reached'> {
	const place = await choosePlace(webhooks.store, webhook.account_id);
	if (place === null) return 'webhooks_limit_reached';
	const url_place = webhook.enabled ? await chooseUrlPlace(webhooks.store, webhook) : webhook.url_place;
	if (url_place === null) return 'webhooks_per_url_reached';
	return (await insert(webhooks, { ...webhook, place, url_place })) ? 'placed' : 'taken';
}

async function firstAnswer(webhooks: Webhooks, { account_id, idempotency }: CreateParams) {
	return idempotency && findFirstAnswer(webhooks, account_id, idempotency);
}

/** @returns false where one of its places or its Idempotency-Key was taken */
async function insert({ store }: Webhooks, webhook: WebhookDocument): Promise<boolean> {
	const { _id, account_id } = webhook;
	try {
		await retryDeadlock(() => store.webhooks.insertMany([webhook], { lean: true }));
		return true;
	} catch (error) {
		const refused = isDuplicateKey(error);
		if (!refused && !mayStillLand(error)) throw error;
		if (await store.webhooks.exists({ _id, account_id })) return true; // the id is this creation's alone
		if (refused) return false;
		throw new ApiError('gateway_timeout');
	}
}

async function newWebhook({ store, secretBox }: Webhooks, { account_id, body, idempotency }: CreateParams) {
	const _id = await store.nextWebhookId();
	const cursor = await newestSequence(store.events, account_id);
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
