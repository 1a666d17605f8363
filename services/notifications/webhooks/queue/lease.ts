import type { WebhookDocument } from '../endpoints/webhook.model.ts';
import type { WebhookStore } from '../webhook-store.ts';
import { AT_ONCE } from './mark-webhooks.ts';

/** ms that a queue stays its owner's without a renewal. A dead one's is taken over after that. */
export const LEASE = 5_000;

/**
 * Who works on a webhook's queue. The lease spares processes each other's work; nothing is wrong where two believe to have
 * it, as after a pause of one: what they write is compared with what they read, and a delivery comes twice at most.
 */
export class Leases {
	readonly #store: WebhookStore;
	readonly #token: string;

	/** @param token of this process, random */
	constructor(store: WebhookStore, token: string) {
		this.#store = store;
		this.#token = token;
	}

	/** Also false where it ran out: the store does not take writes, or this process was stopped for a while. */
	holds({ lease, lease_until }: Pick<WebhookDocument, 'lease' | 'lease_until'>): boolean {
		return lease === this.#token && lease_until > this.#store.clock.now();
	}

	/** Takes a queue that nobody has. @returns false where somebody was faster */
	async take({ _id, account_id }: Pick<WebhookDocument, '_id' | 'account_id'>): Promise<boolean> {
		const now = this.#store.clock.now();
		const { matchedCount } = await this.#store.webhooks.updateOne(
			{ _id, account_id, lease_until: { $lte: now } },
			{ $set: { lease: this.#token, lease_until: now + LEASE, wake_at: 0 } },
		);
		return matchedCount === 1;
	}

	/** Those that it has lost are left alone. */
	async renew(webhook_ids: number[]): Promise<void> {
		const lease_until = this.#store.clock.now() + LEASE;
		await this.#store.webhooks
			.updateMany({ _id: { $in: webhook_ids }, lease: this.#token }, { $set: { lease_until } })
			.setOptions({ everyAccount: true });
	}

	/**
	 * From now on, a mark means that something came after this.
	 * @returns false where the lease is lost, or something came meanwhile: read it again
	 */
	async clearMark({ _id, account_id, wake_at }: WebhookDocument): Promise<boolean> {
		if (wake_at === 0) return true;
		const { matchedCount } = await this.#store.webhooks.updateOne(
			{ _id, account_id, lease: this.#token, wake_at },
			{ $set: { wake_at: 0 } },
		);
		return matchedCount === 1;
	}

	/**
	 * Gives a queue back that is empty until `wake_at` (ms; 0: for good).
	 * @returns false where it was marked since the mark was cleared
	 */
	async giveBack({ _id, account_id }: WebhookDocument, wake_at: number): Promise<boolean> {
		const { matchedCount } = await this.#store.webhooks.updateOne(
			{ _id, account_id, lease: this.#token, wake_at: 0 },
			{ $set: { lease: '', lease_until: 0, wake_at } },
		);
		return matchedCount === 1;
	}

	/** Frees every queue, where no other process is there that could have one. */
	async abandonAll(): Promise<void> {
		const free = { lease: '', lease_until: 0, wake_at: AT_ONCE };
		await this.#store.webhooks
			.updateMany({ lease_until: { $gt: 0 } }, { $set: free })
			.setOptions({ everyAccount: true });
	}

	/** Leaves queues to others at once. */
	async abandon(webhook_ids: number[]): Promise<void> {
		const free = { lease: '', lease_until: 0, wake_at: AT_ONCE };
		await this.#store.webhooks
			.updateMany({ _id: { $in: webhook_ids }, lease: this.#token }, { $set: free })
			.setOptions({ everyAccount: true });
	}
}
