import type { DisabledReason } from '../../../../shared/api/webhook.ts';
import { timestamp } from '../../../../shared/clock.ts';
import { newestSequence } from '../../event-log.ts';
import type { WebhookStore } from '../webhook-store.ts';
import type { WebhookDocument } from './webhook.model.ts';

/** What the fields become where a webhook is disabled. What waits in its queue then fails (see `settleQueue`). */
export function disabled(reason: DisabledReason, now: number): Partial<WebhookDocument> {
	return {
		enabled: false,
		disabled_reason: reason,
		disabled_at: timestamp(now),
		recover_since: 0,
		recover_until: 0,
	};
}

/** What the fields become where a webhook is enabled again: it goes on with the next event, as if it was new. */
export async function enabled(store: WebhookStore, { account_id }: WebhookDocument): Promise<Partial<WebhookDocument>> {
	return {
		enabled: true,
		disabled_reason: null,
		disabled_at: null,
		failing_since: 0,
		failed_at: 0,
		cursor: await newestSequence(store.events, account_id),
	};
}
