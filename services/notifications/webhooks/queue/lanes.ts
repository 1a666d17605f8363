import { LRUCache } from 'lru-cache';
import { type Attempt, isDelivered } from '../outbound/attempt.ts';
import type { WebhookDocument } from '../store/webhook.model.ts';
import type { Lane } from './slots.ts';
import { QUICK } from './window.ts';

/** Endpoints that are remembered */
const MOST = 50_000;

/** What this process has seen of endpoints. Another process, or a new URL, begins anew: nothing depends on it but a turn. */
export class Lanes {
	readonly #well = new LRUCache<string, true>({ max: MOST });

	of(webhook: WebhookDocument): Lane {
		if (webhook.failing_since > 0) return 'failing';
		return this.#well.has(keyOf(webhook)) ? 'well' : 'new';
	}

	note(webhook: WebhookDocument, attempt: Attempt): void {
		if (isDelivered(attempt) && attempt.duration < QUICK) this.#well.set(keyOf(webhook), true);
		else this.#well.delete(keyOf(webhook));
	}
}

function keyOf({ account_id, _id, epoch }: WebhookDocument): string {
	return `${account_id}:${_id}:${epoch}`;
}
