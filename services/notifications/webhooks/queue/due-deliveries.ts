import type { DeliveryDocument } from '../deliveries/delivery.model.ts';
import type { WebhookDocument } from '../endpoints/webhook.model.ts';
import type { WebhookStore } from '../webhook-store.ts';

/** Deliveries that are read at a time */
const PAGE = 32;

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
			const { account_id, _id: webhook_id } = this.#webhook;
			const begun = new Set(this.#underWay.keys()); // one that ends while the store is asked may still look due
			const limit = PAGE + begun.size;
			const found = await this.#store.deliveries
				.find({ account_id, webhook_id, due_at: { $gt: 0, $lte: this.#store.time.now() } })
				.sort({ due_at: 1 })
				.limit(limit)
				.lean<DeliveryDocument[]>();
			this.#page = found.filter(({ _id }) => !begun.has(_id));
			this.#isLast = found.length < limit;
		}
		return this.#page.shift();
	}
}

/** Queues' time (ms); when the next attempt for a webhook is due; 0 where none waits. */
export async function nextDue(store: WebhookStore, { account_id, _id: webhook_id }: WebhookDocument): Promise<number> {
	const next = await store.deliveries
		.findOne({ account_id, webhook_id, due_at: { $gt: 0 } })
		.sort({ due_at: 1 })
		.select({ due_at: 1 })
		.lean<Pick<DeliveryDocument, 'due_at'>>();
	return next?.due_at ?? 0;
}
