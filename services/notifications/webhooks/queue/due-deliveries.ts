import { type DeliveryDocument, dueAtOnce, dueSince } from '../store/delivery.model.ts';
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
