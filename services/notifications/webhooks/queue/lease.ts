import { Sightings } from '../../../../shared/engine/sightings.ts';
import type { LeftBy, QueueKey } from '../store/queue-store.ts';
import type { WebhookDocument } from '../store/webhook.model.ts';
import type { WebhookStore } from '../store/webhook-store.ts';

/**
 * ms that a queue stays its owner's without a renewal: three looks, a second apart. A dead owner's queue is taken over
 * at the look that follows, within 4 s.
 */
export const LEASE = 2_900;

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
	async take(key: QueueKey): Promise<boolean> {
		const { until, written } = this.#term();
		const isTaken = await this.#store.queues.take(key, this.#token, written);
		if (isTaken) this.#until.set(key._id, until);
		return isTaken;
	}

	/** Those that it has lost are left alone. */
	async renew(webhook_ids: number[]): Promise<void> {
		const { until, written } = this.#term();
		await this.#store.queues.renew(webhook_ids, this.#token, written);
		for (const id of webhook_ids) if (this.#until.has(id)) this.#until.set(id, until);
	}

	/**
	 * Looks who has queues, to be called once a second. An owner that is there renews all of its queues at once. So where its
	 * newest term stands still, it has left them all, and where its oldest does, those of that term.
	 */
	async watch(): Promise<void> {
		const { queues } = this.#store;
		const terms = new Map<string, LeftBy>();
		const note = (which: string, { lease, lease_until }: QueueKey) =>
			terms.set(`${which} ${lease}`, { lease, until: lease_until });
		for (let first = await queues.firstTermBehind(''); first; first = await queues.firstTermBehind(first.lease)) {
			note('oldest', first);
			const newest = await queues.lastTermOf(first.lease);
			if (newest) note('newest', newest);
		}
		const states = new Map([...terms].map(([key, { until }]) => [key, String(until)]));
		this.#left = this.#watched.unchangedFor(LEASE, states).map((key) => terms.get(key)!);
	}

	/**
	 * From now on, a mark means that something came after this.
	 * @returns the webhook as it is without the mark; null where the lease is lost, or something came meanwhile: read it again
	 */
	async clearMark(webhook: WebhookDocument): Promise<WebhookDocument | null> {
		return webhook.wake_at === 0 ? webhook : this.#store.queues.clearMark(webhook, this.#token);
	}

	/**
	 * Gives a queue back that is empty until `wake_at` (queues' time, ms; 0: for good).
	 * @returns false where it was marked since the mark was cleared
	 */
	async giveBack(webhook: WebhookDocument, wake_at: number): Promise<boolean> {
		const isGiven = await this.#store.queues.giveBack(webhook, this.#token, wake_at);
		if (isGiven) this.#until.delete(webhook._id);
		return isGiven;
	}

	/** Leaves queues to others at once. */
	async abandon(webhook_ids: number[]): Promise<void> {
		for (const id of webhook_ids) this.#until.delete(id);
		await this.#store.queues.abandon(webhook_ids, this.#token);
	}

	/** A term that begins now. */
	#term() {
		const { clock, time } = this.#store;
		return { until: clock.monotonic() + LEASE, written: time.now() + LEASE };
	}
}
