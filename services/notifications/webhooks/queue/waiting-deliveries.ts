import { type DeliveryDocument, dueAtOnce, dueSince, requeued } from '../store/delivery.model.ts';
import { AT_ONCE } from '../store/queue-store.ts';
import type { WebhookDocument } from '../store/webhook.model.ts';
import type { WebhookStore } from '../store/webhook-store.ts';

/** Deliveries that are read at a time */
const PAGE = 32;
/** ms by which a first attempt may look due later than `dueAtOnce` says now: processes' times differ by a second */
const TOLERANCE = 2_000;

/** The due deliveries of a webhook's queue, the longest due first, a page at a time. */
export class DueDeliveries {
	readonly #store: WebhookStore;
	readonly #webhook: WebhookDocument;
	readonly #underWay: ReadonlyMap<number, unknown>;
	#page: DeliveryDocument[] = [];
	#isLast = false;

	/** @param underWay those that are being attempted, by id: still due in the store, but not to be taken again */
	constructor(store: WebhookStore, webhook: WebhookDocument, underWay: ReadonlyMap<number, unknown>) {
		this.#store = store;
		this.#webhook = webhook;
		this.#underWay = underWay;
	}

	/** @returns undefined where there are no more */
	async next(): Promise<DeliveryDocument | undefined> {
		if (this.#page.length === 0 && !this.#isLast) {
			const begun = new Set(this.#underWay.keys()); // one that ends while the store is asked may still look due
			const limit = PAGE + begun.size;
			const found = await this.#read(limit);
			this.#page = found.filter(({ _id }) => !begun.has(_id));
			this.#isLast = found.length < limit;
		}
		return this.#page.shift();
	}

	/** First attempts stand an hour earlier than they are due, so where they fill a page, retries are read for themselves. */
	async #read(limit: number): Promise<DeliveryDocument[]> {
		const now = this.#store.time.now();
		const firstAttempts = dueAtOnce(now) + TOLERANCE;
		const { deliveries } = this.#store;
		const found = await deliveries.due(this.#webhook, 0, now, limit);
		if (found.length < limit || found.at(-1)!.due_at > firstAttempts) return found;
		const retries = await deliveries.due(this.#webhook, firstAttempts, now, limit);
		return [...found, ...retries].sort((a, b) => dueSince(a) - dueSince(b)).slice(0, limit);
	}
}

/** What becomes of many deliveries of a webhook at once, without an attempt: a page at a time, told whether there may be more. */

/** Deliveries of one write */
const SETTLED = 200;

/**
 * Those that wait for a webhook that is disabled fail: nothing is queued while it is. `recover` sends them again.
 * @param except those that are being attempted
 */
export async function failWaiting(
	{ deliveries, time }: WebhookStore,
	webhook: WebhookDocument,
	except: ReadonlyMap<number, unknown>,
): Promise<boolean> {
	const waiting = await deliveries.waiting(webhook, SETTLED + except.size);
	const left = waiting.filter(({ _id }) => !except.has(_id));
	const failed = { status: 'failed', due_at: 0, failed_at: time.now() } as const;
	await deliveries.changeAsRead(webhook.account_id, left, failed);
	return left.length >= SETTLED;
}

/**
 * Those that failed in the range that was asked for are queued again. At its end the wish is taken back, unless it became
 * another one meanwhile. What fails again is not met again: it failed after the range.
 */
export async function recoverFailed(
	{ deliveries, queues, time }: WebhookStore,
	webhook: WebhookDocument,
): Promise<boolean> {
	const { account_id, recover_since, recover_until } = webhook;
	if (recover_until === 0) return false;
	const page = await deliveries.failed(webhook, recover_since, recover_until, SETTLED);
	await deliveries.changeAsRead(account_id, page, requeued(time.now()));
	if (page.length === SETTLED) return true;
	await queues.endRecovery(webhook);
	return false;
}

/** Those of a webhook that is deleted are removed. */
export async function removeDeliveries({ deliveries }: WebhookStore, webhook: WebhookDocument): Promise<boolean> {
	return (await deliveries.removeSome(webhook, SETTLED)) === SETTLED;
}

/** ms after which a delivery that is due should have somebody who looks at it */
const OVERDUE = 10_000;
/** Deliveries of one look */
const LOOKED_AT = 500;

/**
 * Finds deliveries that are due and that nobody looks at: they landed late, after a freeze or a lost lease, or the
 * process that queued them died before the mark. Their webhook is marked. Its owner then attempts them; if the webhook is
 * disabled they fail, and if it is deleted they are removed. Those without a webhook are removed here.
 */
export class OverdueDeliveries {
	readonly #store: WebhookStore;
	/** `due_at` behind which to go on; a look is a page, and begins anew behind the last one */
	#behind = 0;

	constructor(store: WebhookStore) {
		this.#store = store;
	}

	/** Looks at the next page. @returns how many were removed */
	async tend(): Promise<number> {
		const { deliveries, queues, time } = this.#store;
		const page = await deliveries.longestDue(LOOKED_AT, this.#behind, time.now() - OVERDUE);
		this.#behind = page.length < LOOKED_AT ? 0 : page.at(-1)!.due_at;
		const owners = await queues.present([...new Set(page.map(({ webhook_id }) => webhook_id))]);
		const idle = [...owners.values()].filter(({ wake_at, lease }) => wake_at !== AT_ONCE && lease === '');
		await Promise.all(idle.map((webhook) => queues.mark(webhook)));
		const ownerless = page.filter(({ webhook_id }) => !owners.has(webhook_id));
		return deliveries.remove(ownerless.map(({ _id }) => _id));
	}
}
