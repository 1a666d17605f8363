import type { KeyedQueue } from '../../../shared/keyed-queue.ts';
import type { SecretBox } from '../../../shared/secret-box.ts';
import type { TargetGuard } from './outbound/target-guard.ts';
import type { WebhookStore } from './webhook-store.ts';

/** What the use cases of webhooks work with. */
export interface Webhooks {
	store: WebhookStore;
	guard: TargetGuard;
	secretBox: SecretBox;
	/** Creations under one Idempotency-Key queue here, so that the later one finds the first one's answer. */
	keyed: KeyedQueue;
	/** Changes of one webhook queue here, so that compare-and-set contends with processes, not with clients. */
	changes: KeyedQueue;
	/** Called when a webhook's queue has got something to do, after that was written. */
	changed(webhook_id: number): void;
}
