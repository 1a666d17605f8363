import type { DisabledReason } from '../../../../shared/contract/schemas/webhook.ts';
import { SKEW, timestamp } from '../../../../shared/engine/clock.ts';
import { type Attempt, isDelivered } from '../outbound/attempt.ts';
import { AT_ONCE } from '../store/queue-store.ts';
import { subscriptionEnded } from '../store/subscription.ts';
import type { WebhookDocument } from '../store/webhook.model.ts';
import { disabled } from '../store/webhook-states.ts';
import type { WebhookStore } from '../store/webhook-store.ts';
import { GONE } from './record-attempt.ts';

const HOUR = 3_600_000;
/** ms of failures alone after which an endpoint is disabled: five days (contract §8) by every process' clock */
export const PATIENCE = 120 * HOUR + SKEW;
/** ms without any attempt after which failures begin anew: longer than the longest wait of the schedule */
const SILENCE = 36 * HOUR;
/** ms between two writes of when it failed last */
const NOTED_EVERY = HOUR;

/**
 * Keeps what an attempt says about its endpoint: since when every attempt failed, and that it is to be disabled after five
 * days of that, or at once where it is gone. Attempts come by the thousand, so only changes are written.
 *
 * It says so about the endpoint that it went to: where URL or `enabled` changed since, nothing is written.
 *
 * @param webhook as it was read before the attempt; what is written here changes in it as well
 * @returns why it was disabled; undefined where it was not
 */
export async function noteHealth(
	store: WebhookStore,
	webhook: WebhookDocument,
	attempt: Attempt,
): Promise<DisabledReason | undefined> {
	const now = store.clock.now();
	const reason = reasonToDisable(webhook, attempt, now);
	if (reason !== undefined) return (await disable(store, webhook, reason, now)) ? reason : undefined;
	const health = healthAfter(webhook, isDelivered(attempt), now);
	if (health === undefined) return undefined;
	await store.queues.noteHealth(webhook, health);
	Object.assign(webhook, health);
	return undefined;
}

function reasonToDisable(webhook: WebhookDocument, attempt: Attempt, now: number): DisabledReason | undefined {
	if (isDelivered(attempt)) return undefined;
	if (attempt.status === GONE) return 'gone';
	const { failing_since, failed_at } = webhook;
	const inARow = failing_since > 0 && now - failed_at < SILENCE;
	return inARow && now - failing_since >= PATIENCE ? 'failing' : undefined;
}

function healthAfter({ failing_since, failed_at }: WebhookDocument, delivered: boolean, now: number) {
	if (delivered) return failing_since === 0 ? undefined : { failing_since: 0, failed_at: 0 };
	if (failing_since === 0 || now - failed_at >= SILENCE) return { failing_since: now, failed_at: now };
	return now - failed_at >= NOTED_EVERY ? { failing_since, failed_at: now } : undefined;
}

/**
 * A change that the client sees, so the version is compared.
 * @returns false where it is not the endpoint that was judged any more: deleted, disabled, or another since
 */
async function disable(
	store: WebhookStore,
	webhook: WebhookDocument,
	reason: DisabledReason,
	now: number,
): Promise<boolean> {
	const { epoch, failing_since } = webhook;
	const judged = reason === 'failing' ? { epoch, failing_since } : { epoch };
	for (;;) {
		const current = await store.queues.findJudged(webhook, judged);
		if (current === null) return false;
		const change = { ...disabled(current, reason, now), ...(await subscriptionEnded(store, current)) };
		const next = { ...change, version: current.version + 1, updated_at: timestamp(now), wake_at: AT_ONCE };
		if (await store.queues.changeJudged(current, judged, next)) return true;
	}
}
