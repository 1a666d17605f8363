import { LRUCache } from 'lru-cache';
import { type AccountKey, accountKey } from '../../../../shared/contract/account-key.ts';
import { type Attempt, isDelivered } from '../outbound/attempt.ts';
import type { WebhookDocument } from '../store/webhook.model.ts';
import type { Lane } from './slots.ts';

/** How fast endpoints may be sent to, by what this process has seen of them. */

/** Attempts of one webhook at the same time, at most */
const WIDEST = 8;
/** ms; an answer that takes longer opens the window no further */
const QUICK = 1_000;
/** Endpoints that are remembered */
const MOST = 50_000;

/**
 * How many attempts of a webhook may run at once. It opens with quick successes, as TCP does, and shuts with a failure, so
 * that an endpoint that hangs holds one connection, and not those of others.
 */
export class Window {
	#size = 1;

	get size(): number {
		return this.#size;
	}

	note(attempt: Attempt): void {
		if (!isDelivered(attempt)) this.#size = 1;
		else if (attempt.duration < QUICK) this.#size = Math.min(WIDEST, this.#size * 2);
		else this.#size = Math.max(1, Math.floor(this.#size / 2));
	}
}

/** Which lane an endpoint's attempts take. Another process, or a new URL, begins anew: only a turn depends on it. */
export class Lanes {
	readonly #well = new LRUCache<AccountKey, true>({ max: MOST });

	of(webhook: WebhookDocument): Lane {
		if (webhook.failing_since > 0) return 'failing';
		return this.#well.has(keyOf(webhook)) ? 'well' : 'new';
	}

	note(webhook: WebhookDocument, attempt: Attempt): void {
		if (isDelivered(attempt) && attempt.duration < QUICK) this.#well.set(keyOf(webhook), true);
		else this.#well.delete(keyOf(webhook));
	}
}

function keyOf(webhook: WebhookDocument): AccountKey {
	return accountKey(webhook, webhook._id, webhook.epoch);
}
