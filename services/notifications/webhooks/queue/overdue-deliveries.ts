import { AT_ONCE } from '../store/queue-store.ts';
import type { WebhookStore } from '../store/webhook-store.ts';

/** ms after which a delivery that is due should have somebody who looks at it */
const OVERDUE = 10_000;
/** Deliveries of one look */
const PAGE = 500;

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
		const page = await deliveries.longestDue(PAGE, this.#behind, time.now() - OVERDUE);
		this.#behind = page.length < PAGE ? 0 : page.at(-1)!.due_at;
		const owners = await queues.present([...new Set(page.map(({ webhook_id }) => webhook_id))]);
		const idle = [...owners.values()].filter(({ wake_at, lease }) => wake_at !== AT_ONCE && lease === '');
		await Promise.all(idle.map((webhook) => queues.mark(webhook)));
		const ownerless = page.filter(({ webhook_id }) => !owners.has(webhook_id));
		return deliveries.remove(ownerless.map(({ _id }) => _id));
	}
}
