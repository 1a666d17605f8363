import type { DeliveryDocument } from '../store/delivery.model.ts';
import type { WebhookDocument } from '../store/webhook.model.ts';
import type { WebhookStore } from '../store/webhook-store.ts';
import { AT_ONCE, markWebhook } from './mark-webhooks.ts';

/** ms after which a delivery that is due should have somebody who looks at it */
const OVERDUE = 10_000;
/** Deliveries of one look */
const PAGE = 500;

type Found = Pick<DeliveryDocument, '_id' | 'account_id' | 'webhook_id' | 'due_at'>;
type Owner = Pick<WebhookDocument, '_id' | 'account_id' | 'wake_at' | 'lease'>;

/**
 * Finds deliveries that are due and that nobody looks at: they landed late, after a freeze or a lost lease, or whoever
 * queued them died before the mark. Their webhook is marked, and its owner then attempts them, or lets them fail where it
 * is disabled, or removes them where it is deleted. Where there is no webhook any more, they are removed here.
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
		const { deliveries, time } = this.#store;
		const page = await deliveries
			.find({ due_at: { $gt: this.#behind, $lte: time.now() - OVERDUE } })
			.sort({ due_at: 1 })
			.limit(PAGE)
			.select({ account_id: 1, webhook_id: 1, due_at: 1 })
			.setOptions({ everyAccount: true })
			.lean<Found[]>();
		this.#behind = page.length < PAGE ? 0 : page.at(-1)!.due_at;
		const owners = await this.#owners(page);
		const idle = [...owners.values()].filter(({ wake_at, lease }) => wake_at !== AT_ONCE && lease === '');
		await Promise.all(idle.map(({ account_id, _id }) => markWebhook(this.#store, account_id, _id)));
		const ownerless = page.filter(({ webhook_id }) => !owners.has(webhook_id)).map(({ _id }) => _id);
		if (ownerless.length === 0) return 0;
		const filter = { _id: { $in: ownerless } };
		return (await deliveries.deleteMany(filter).setOptions({ everyAccount: true })).deletedCount;
	}

	async #owners(page: Found[]): Promise<Map<number, Owner>> {
		const ids = [...new Set(page.map(({ webhook_id }) => webhook_id))];
		if (ids.length === 0) return new Map();
		const found = await this.#store.webhooks
			.find({ _id: { $in: ids } })
			.select({ account_id: 1, wake_at: 1, lease: 1 })
			.setOptions({ everyAccount: true })
			.lean<Owner[]>();
		return new Map(found.map((owner) => [owner._id, owner]));
	}
}
