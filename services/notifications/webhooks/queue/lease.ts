import { Sightings } from '../../../../shared/engine/sightings.ts';
import type { WebhookDocument } from '../store/webhook.model.ts';
import type { WebhookStore } from '../store/webhook-store.ts';
import { AT_ONCE } from './mark-webhooks.ts';

/**
 * ms that a queue stays its owner's without a renewal: three looks, a second apart. A dead one's is taken over at the one
 * that follows, within 4 s.
 */
export const LEASE = 2_900;

/** A webhook's queue, and who had it when it was read */
export type QueueKey = Pick<WebhookDocument, '_id' | 'account_id' | 'lease' | 'lease_until'>;
/** Queues that their owner has left: what a filter needs to find them */
export interface LeftBy {
	lease: string;
	lease_until: { $lte: number };
}

/**
 * Who works on a webhook's queue. The lease spares processes each other's work; nothing is wrong where two believe to have
 * it, as after a pause of one: what they write is compared with what they read, and a delivery comes twice at most.
 *
 * No two clocks are compared. An owner knows by its own monotonic clock for how long it has a queue. The others take it
 * where they have seen, by theirs, that `lease_until` did not change for as long: it tells them nothing else.
 */
export class Leases {
	readonly #store: WebhookStore;
	readonly #token: string;
	/** Monotonic ms until which this process has a queue that is leased to it */
	readonly #until = new Map<number, number>();
	readonly #watched: Sightings<string>;
	#left: LeftBy[] = [];

	/** @param token of this process, random */
	constructor(store: WebhookStore, token: string) {
		this.#store = store;
		this.#token = token;
		this.#watched = new Sightings(store.clock);
	}

	/** What `watch` has found last. */
	get left(): readonly LeftBy[] {
		return this.#left;
	}

	/** Also false where it ran out: the store does not take writes, or this process was stopped for a while. */
	holds({ _id, lease }: Pick<WebhookDocument, '_id' | 'lease'>): boolean {
		return lease === this.#token && (this.#until.get(_id) ?? 0) > this.#store.clock.monotonic();
	}

	/**
	 * Takes a queue that nobody has, or that its owner has left.
	 * @param key as it was read
	 * @returns false where somebody was faster, or its owner is still there
	 */
	async take({ _id, account_id, lease, lease_until }: QueueKey): Promise<boolean> {
		const { until, written } = this.#term();
		const { matchedCount } = await this.#store.webhooks.updateOne(
			{ _id, account_id, lease, lease_until },
			{ $set: { lease: this.#token, lease_until: written, wake_at: 0 } },
		);
		if (matchedCount === 1) this.#until.set(_id, until);
		return matchedCount === 1;
	}

	/** Those that it has lost are left alone. */
	async renew(webhook_ids: number[]): Promise<void> {
		const { until, written } = this.#term();
		await this.#store.webhooks
			.updateMany({ _id: { $in: webhook_ids }, lease: this.#token }, { $set: { lease_until: written } })
			.setOptions({ everyAccount: true });
		for (const id of webhook_ids) if (this.#until.has(id)) this.#until.set(id, until);
	}

	/**
	 * Looks who has queues, to be called once a second. An owner that is there renews all of its queues at once. So where its
	 * newest term stands still, it has left them all, and where its oldest does, those of that term.
	 */
	async watch(): Promise<void> {
		const terms = new Map<string, LeftBy>();
		const note = (which: string, { lease, lease_until }: QueueKey) =>
			terms.set(`${which} ${lease}`, { lease, lease_until: { $lte: lease_until } });
		for (let oldest = await this.#first({ $gt: '' }, 1); oldest; oldest = await this.#first({ $gt: oldest.lease }, 1)) {
			note('oldest', oldest);
			const newest = await this.#first(oldest.lease, -1);
			if (newest) note('newest', newest);
		}
		const states = new Map([...terms].map(([key, { lease_until }]) => [key, String(lease_until.$lte)]));
		this.#left = this.#watched.unchangedFor(LEASE, states).map((key) => terms.get(key)!);
	}

	#first(lease: string | { $gt: string }, order: 1 | -1): Promise<QueueKey | null> {
		return this.#store.webhooks
			.findOne({ lease })
			.sort({ lease: 1, lease_until: order })
			.select({ account_id: 1, lease: 1, lease_until: 1 })
			.setOptions({ everyAccount: true })
			.lean<QueueKey>();
	}

	/**
	 * From now on, a mark means that something came after this. What was changed is written with its mark, and one mark looks
	 * like the next: so the webhook as it was read before may be an older one than the mark was about.
	 * @returns the webhook as it is without the mark; null where the lease is lost, or something came meanwhile: read it again
	 */
	async clearMark(webhook: WebhookDocument): Promise<WebhookDocument | null> {
		const { _id, account_id, wake_at } = webhook;
		if (wake_at === 0) return webhook;
		const marked = { _id, account_id, lease: this.#token, wake_at };
		const cleared = { $set: { wake_at: 0 } };
		return this.#store.webhooks.findOneAndUpdate(marked, cleared, { returnDocument: 'after' }).lean<WebhookDocument>();
	}

	/**
	 * Gives a queue back that is empty until `wake_at` (queues' time, ms; 0: for good).
	 * @returns false where it was marked since the mark was cleared
	 */
	async giveBack({ _id, account_id }: WebhookDocument, wake_at: number): Promise<boolean> {
		const { matchedCount } = await this.#store.webhooks.updateOne(
			{ _id, account_id, lease: this.#token, wake_at: 0 },
			{ $set: { lease: '', lease_until: 0, wake_at } },
		);
		if (matchedCount === 1) this.#until.delete(_id);
		return matchedCount === 1;
	}

	/** Frees every queue, where no other process is there that could have one. */
	async abandonAll(): Promise<void> {
		const free = { lease: '', lease_until: 0, wake_at: AT_ONCE };
		await this.#store.webhooks.updateMany({ lease: { $gt: '' } }, { $set: free }).setOptions({ everyAccount: true });
	}

	/** Leaves queues to others at once. */
	async abandon(webhook_ids: number[]): Promise<void> {
		for (const id of webhook_ids) this.#until.delete(id);
		const free = { lease: '', lease_until: 0, wake_at: AT_ONCE };
		await this.#store.webhooks
			.updateMany({ _id: { $in: webhook_ids }, lease: this.#token }, { $set: free })
			.setOptions({ everyAccount: true });
	}

	/** A term that begins now. */
	#term() {
		const { clock, time } = this.#store;
		return { until: clock.monotonic() + LEASE, written: time.now() + LEASE };
	}
}
