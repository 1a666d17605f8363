import type { DeliveryAttempt } from '../../../../shared/contract/schemas/delivery.ts';
import { timestamp } from '../../../../shared/engine/clock.ts';
import { retryDeadlock } from '../../../../shared/store/write-errors.ts';
import { type Attempt, isDelivered } from '../outbound/attempt.ts';
import type { DeliveryDocument } from '../store/delivery.model.ts';
import type { WebhookStore } from '../store/webhook-store.ts';
import { retryDelay } from './retry-schedule.ts';

/** Attempts that are kept of a delivery; the schedule makes 10 */
const MOST_KEPT = 20;
/** The endpoint says that it is gone for good. */
export const GONE = 410;

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
	isGone = true,
): Promise<void> {
	const { _id, account_id, revision } = delivery;
	if (attempt === 'expired') {
		const at = timestamp(store.clock.now());
		const attempts = [...delivery.attempts, { at, duration: 0, status: null, error: 'its event is no longer kept' }];
		const failed = { status: 'failed' as const, due_at: 0, attempts, revision: revision + 1 };
		await store.deliveries.updateOne({ _id, account_id, revision }, { $set: failed });
		return;
	}
	const shown = toShown(attempt);
	const attempts = [...delivery.attempts, shown].slice(-MOST_KEPT);
	const $set = {
		...stateAfter(delivery, attempt, store.time.now(), random, isGone),
		attempts,
		revision: revision + 1,
	};
	const { matchedCount } = await retryDeadlock(() =>
		store.deliveries.updateOne({ _id, account_id, revision }, { $set }),
	);
	if (matchedCount === 0) await store.deliveries.updateOne({ _id, account_id }, { $push: { attempts: shown } });
}

type State = Pick<DeliveryDocument, 'status' | 'due_at' | 'failed_at' | 'made'>;

/**
 * A test is sent once: whoever asked for it looks at what came of it.
 * @param now queues' time (ms)
 * @param isGone whether a 410 is the end; not where it came from an endpoint that was changed meanwhile
 */
export function stateAfter(
	delivery: DeliveryDocument,
	attempt: Attempt,
	now: number,
	random: number,
	isGone = true,
): State {
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
