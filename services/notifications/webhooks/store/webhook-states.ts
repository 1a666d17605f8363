import type { DisabledReason } from '../../../../shared/contract/schemas/webhook.ts';
import { timestamp } from '../../../../shared/engine/clock.ts';
import { filler, type WebhookDocument } from './webhook.model.ts';

/** What the fields become where a webhook is disabled. What waits in its queue then fails (see `failWaiting`). */
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

/** What the fields become where a webhook is enabled again: it goes on with the next event, as if it was new. */
export function enabled(webhook: WebhookDocument): Partial<WebhookDocument> {
	return { enabled: true, disabled_reason: null, disabled_at: null, missed: null, ...cleanRecord(webhook) };
}

/** What the fields become where it is another endpoint: what is known of the old one says nothing about it. */
export function cleanRecord({ version }: WebhookDocument): Partial<WebhookDocument> {
	return { failing_since: 0, failed_at: 0, epoch: version + 1 };
}
