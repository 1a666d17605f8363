import { createHash } from 'node:crypto';
import { type DisabledReason, ENABLED_PER_URL, WEBHOOKS_LIMIT } from '../../../../shared/contract/schemas/webhook.ts';
import { SKEW, timestamp } from '../../../../shared/engine/clock.ts';
import { randomIndex } from '../../../../shared/engine/ids.ts';
import type { WebhookDocument } from './webhook.model.ts';

/** What the fields of a webhook become where its state changes. The allotment for its URL and `past` are chosen apart. */

/** ms that a first answer is kept: 24 h by every process' clock */
export const IDEMPOTENCY_TTL = 24 * 60 * 60 * 1000 + SKEW;

/** What waits in its queue then fails (see `failWaiting`). */
export function disabled(webhook: WebhookDocument, reason: DisabledReason, now: number): Partial<WebhookDocument> {
	return {
		enabled: false,
		disabled_reason: reason,
		disabled_at: timestamp(now),
		url_place: filler(webhook._id),
		recover_since: 0,
		recover_until: 0,
		epoch: webhook.version + 1,
	};
}

/** Enabled again: it goes on with the next event, as if it was new. */
export function enabled(webhook: WebhookDocument): Partial<WebhookDocument> {
	return { enabled: true, disabled_reason: null, disabled_at: null, missed: null, ...cleanRecord(webhook) };
}

/** Another endpoint: what is known of the old one says nothing about it. */
export function cleanRecord({ version }: WebhookDocument): Partial<WebhookDocument> {
	return { failing_since: 0, failed_at: 0, epoch: version + 1 };
}

/** Deleted: what is left is a tombstone, which keeps the answer to an Idempotency-Key for 24 h. */
export function deleted({ _id, version }: WebhookDocument, now: number): Partial<WebhookDocument> {
	return {
		deleted_at: timestamp(now),
		place: filler(_id),
		url_place: filler(_id),
		enabled: false,
		failing_since: 0,
		epoch: version + 1,
		remove_at: now + IDEMPOTENCY_TTL,
	};
}

/**
 * Limits that hold whatever runs at once: each webhook has one of its account's 25 allotments, and while it is enabled one
 * of the 5 that its account has for its URL. A unique index lets one webhook have an allotment; a webhook that needs none
 * holds a filler. The documents call them `place` and `url_place`.
 */

/** `<account>:<number>` */
export function allotmentsOf(account_id: string): string[] {
	return Array.from({ length: WEBHOOKS_LIMIT }, (_, number) => `${account_id}:${number}`);
}

/** `<account>:<hash of the URL>:<number>`. However the URL is spelled, what counts is what is asked for. */
export function urlAllotmentsOf(account_id: string, url: string): string[] {
	const hash = createHash('sha256').update(new URL(url).href).digest('base64url');
	return Array.from({ length: ENABLED_PER_URL }, (_, number) => `${account_id}:${hash}:${number}`);
}

/** One that is free, at random, because others choose at the same time; null where all are taken. */
export function chooseFree(allotments: string[], taken: string[]): string | null {
	const free = allotments.filter((each) => !taken.includes(each));
	return free.length === 0 ? null : free[randomIndex(free.length)]!;
}

/** Fills a unique key that this webhook does not use. */
export function filler(webhook_id: number): string {
	return `free:${webhook_id}`;
}
