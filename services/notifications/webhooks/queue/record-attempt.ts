import type { DeliveryAttempt } from '../../../../shared/contract/schemas/delivery.ts';
import type { DisabledReason } from '../../../../shared/contract/schemas/webhook.ts';
import { SKEW, timestamp } from '../../../../shared/engine/clock.ts';
import { type Attempt, isDelivered } from '../outbound/attempt.ts';
import type { DeliveryDocument } from '../store/delivery.model.ts';
import { AT_ONCE } from '../store/queue-store.ts';
import { subscriptionEnded } from '../store/subscription.ts';
import type { WebhookDocument } from '../store/webhook.model.ts';
import { disabled } from '../store/webhook-states.ts';
import type { WebhookStore } from '../store/webhook-store.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** ms from a failed attempt to the next, by how many were made (contract §8) */
const SCHEDULE: readonly number[] = [
	5 * SECOND,
	5 * MINUTE,
	30 * MINUTE,
	2 * HOUR,
	5 * HOUR,
	10 * HOUR,
	14 * HOUR,
	20 * HOUR,
	24 * HOUR,
];
/** Share of a delay that is added at random, so that what failed together does not come back together */
const JITTER = 0.2;
/** ms; a `Retry-After` of more is cut to it */
const LONGEST_WAIT = 24 * HOUR;
/** Attempts that are kept of a delivery; the schedule makes 10 */
const MOST_KEPT = 20;
/** The endpoint says that it is gone for good. */
const GONE = 410;

/**
 * Writes down what came of an attempt, and when the next one is due. Where the delivery changed meanwhile (it was asked for
 * again), the attempt only joins the list.
 *
 * @param attempt `expired`: there was nothing to send any more
 * @param random from 0 to 1, for the jitter
 * @param isGone as `stateAfter` takes it
 */
export async function recordAttempt(
	store: WebhookStore,
	delivery: DeliveryDocument,
	attempt: Attempt | 'expired',
	random: number,
	isGone: boolean,
): Promise<void> {
	const revision = delivery.revision + 1;
	if (attempt === 'expired') {
		const at = timestamp(store.clock.now());
		const attempts = [...delivery.attempts, { at, duration: 0, status: null, error: 'its event is no longer kept' }];
		await store.deliveries.change(delivery, { status: 'failed', due_at: 0, attempts, revision });
		return;
	}
	const shown = toShown(attempt);
	const attempts = [...delivery.attempts, shown].slice(-MOST_KEPT);
	const state = stateAfter(delivery, attempt, store.time.now(), random, isGone);
	const isRecorded = await store.deliveries.change(delivery, { ...state, attempts, revision });
	if (!isRecorded) await store.deliveries.addAttempt(delivery, shown);
}

type State = Pick<DeliveryDocument, 'status' | 'due_at' | 'failed_at' | 'made'>;

/**
 * A test is sent once: the one who asked for it looks at what came of it.
 * @param now queues' time (ms)
 * @param isGone whether a 410 is the end; not where it came from an endpoint that was changed meanwhile
 */
function stateAfter(delivery: DeliveryDocument, attempt: Attempt, now: number, random: number, isGone: boolean): State {
	const made = delivery.made + 1;
	if (isDelivered(attempt)) return { status: 'delivered', due_at: 0, failed_at: 0, made };
	const isLast = delivery.test !== null || (isGone && attempt.status === GONE);
	const delay = isLast ? undefined : retryDelay(made, attempt.retry_after, random);
	if (delay === undefined) return { status: 'failed', due_at: 0, failed_at: now, made };
	return { status: 'pending', due_at: now + delay, failed_at: 0, made };
}

function toShown({ at, duration, status, error }: Attempt): DeliveryAttempt {
	return { at, duration, status, error };
}

/**
 * When to try again.
 *
 * @param made attempts so far, the failed one included; 1 or more
 * @param retryAfter seconds that the answer asked for; never sooner than that, and never sooner than the schedule
 * @param random from 0 to 1
 * @returns ms from now; undefined where the schedule is at its end
 */
function retryDelay(made: number, retryAfter: number | null, random: number): number | undefined {
	const scheduled = SCHEDULE[made - 1];
	if (scheduled === undefined) return undefined;
	const asked = Math.min((retryAfter ?? 0) * SECOND, LONGEST_WAIT);
	return Math.round(Math.max(scheduled, asked) * (1 + JITTER * random));
}

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
 * @returns why it was disabled, or whether anything was written
 */
export async function noteHealth(
	store: WebhookStore,
	webhook: WebhookDocument,
	attempt: Attempt,
): Promise<DisabledReason | boolean> {
	const now = store.clock.now();
	const reason = reasonToDisable(webhook, attempt, now);
	if (reason !== undefined) return (await disable(store, webhook, reason, now)) && reason;
	const health = healthAfter(webhook, isDelivered(attempt), now);
	if (health === undefined) return false;
	await store.queues.noteHealth(webhook, health);
	Object.assign(webhook, health);
	return true;
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
