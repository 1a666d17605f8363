import type { KeyedQueue } from '../../../shared/engine/keyed-queue.ts';
import type { SecretBox } from '../../../shared/secrets/secret-box.ts';
import type { TargetGuard } from './outbound/find-addresses.ts';
import type { WebhookStore } from './store/webhook-store.ts';

/** What the use cases of webhooks work with. */
export interface Webhooks {
	store: WebhookStore;
	guard: TargetGuard;
	secretBox: SecretBox;
	/** Creations under one Idempotency-Key queue here, so that the later one finds the first one's answer. */
	keyed: KeyedQueue;
	/**
	 * Creations and changes of an account's webhooks queue here, so that versions and allotments are contended for by
	 * processes, not by clients: a store over PostgreSQL takes a second to see that writes of one unique key wait for
	 * each other.
	 */
	changes: KeyedQueue;
	/** To be called after something was written that gives a webhook's queue work. */
	changed(webhook_id: number): void;
}
