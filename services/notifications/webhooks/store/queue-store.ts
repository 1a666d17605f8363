import type { QueryFilter } from 'mongoose';
import { matchOwned } from '../../../../shared/engine/by-account.ts';
import { among, ofAccounts } from '../../../../shared/store/account-scope.ts';
import { retryDeadlock } from '../../../../shared/store/write-errors.ts';
import { withoutDeadline } from '../../../../shared/work/deadline.ts';
import type { WebhookDocument, WebhookModel } from './webhook.model.ts';

export type WebhookKey = Pick<WebhookDocument, '_id' | 'account_id'>;
/** A webhook's queue, and who had it when it was read */
export type QueueKey = WebhookKey & Pick<WebhookDocument, 'lease' | 'lease_until' | 'failing_since'>;
/** What tells whether a webhook changed, and whose queue it is */
export type WebhookState = WebhookKey & Pick<WebhookDocument, 'version' | 'wake_at' | 'lease' | 'lease_until'>;
/** Queues that their owner has left: those of its terms that ended at `until` (queues' time, ms) or before */
export interface LeftBy {
	lease: string;
	until: number;
}

/** A mark: the queue is to be looked at now, whatever the clock of the process that looks says. */
export const AT_ONCE = 1;

const UNMARKED = { $or: [{ wake_at: 0 }, { wake_at: { $gt: AT_ONCE } }] };
const FREE = { lease: '', lease_until: 0 };
/** Free, and to be looked at */
const ABANDONED = { ...FREE, wake_at: AT_ONCE };
const QUEUE_KEY = { account_id: 1, failing_since: 1, lease: 1, lease_until: 1 } as const;

/** Reads and writes of the fields by which webhooks' queues are kept: marks, leases, cursors, the endpoint's health. */
export class QueueStore {
	readonly #model: WebhookModel;

	constructor(model: WebhookModel) {
		this.#model = model;
	}

	/** The webhook as it is, also where it is deleted. */
	read({ _id, account_id }: WebhookKey): Promise<WebhookDocument | null> {
		return this.#model.findOne({ _id, account_id }).lean<WebhookDocument>();
	}

	/** The states of webhooks of several accounts, in the order of the keys; null where one is not there. */
	async states(keys: WebhookKey[]): Promise<(WebhookState | null)[]> {
		const filter = { _id: among(keys.map(({ _id }) => _id)), ...ofAccounts(keys) };
		const fields = { account_id: 1, version: 1, wake_at: 1, lease: 1, lease_until: 1 } as const;
		const found = await this.#model.find(filter, fields).lean<WebhookState[]>();
		const idOf = ({ _id }: WebhookKey) => _id;
		return matchOwned(keys, idOf, found, idOf);
	}

	/**
	 * Writes down that the accounts' logs have grown: their webhooks have something to do. An append is acknowledged only
	 * behind this, and is repeated until it is acknowledged, so no event is ever left without somebody who looks.
	 * @returns whether a webhook was marked that was not already
	 */
	async markAccounts(account_ids: string[]): Promise<boolean> {
		if (account_ids.length === 0) return false;
		const unmarked = { account_id: { $in: account_ids }, deleted_at: null, enabled: true, ...UNMARKED };
		const mark = { $set: { wake_at: AT_ONCE } };
		const { modifiedCount } = await retryDeadlock(() => this.#model.updateMany(unmarked, mark));
		return modifiedCount > 0;
	}

	/** The same for one webhook, after work for it was written. That work is done whether or not anybody still waits. */
	async mark({ _id, account_id }: WebhookKey): Promise<void> {
		const unmarked = { _id, account_id, ...UNMARKED };
		await withoutDeadline(() => this.#model.updateOne(unmarked, { $set: { wake_at: AT_ONCE } }).exec());
	}

	/**
	 * From now on, a mark means that something came after this. What was changed is written with its mark, and one mark looks
	 * like the next: so the webhook as it was read before may be older than what the mark was about.
	 * @returns the webhook as it is without the mark; null where `lease` has lost it, or it was marked meanwhile
	 */
	clearMark({ _id, account_id, wake_at }: WebhookDocument, lease: string): Promise<WebhookDocument | null> {
		return this.#model
			.findOneAndUpdate({ _id, account_id, lease, wake_at }, { $set: { wake_at: 0 } }, { returnDocument: 'after' })
			.lean<WebhookDocument>();
	}

	/** Queues of every account that nobody has and that are to be looked at at `now`, the longest due first. */
	due(now: number, wellOnly: boolean, count: number): Promise<QueueKey[]> {
		return this.#queues({ wake_at: { $gt: 0, $lte: now }, lease: '' }, { wake_at: 1 }, wellOnly, count);
	}

	/** Queues of every account that their owner has left. */
	left({ lease, until }: LeftBy, wellOnly: boolean, count: number): Promise<QueueKey[]> {
		return this.#queues({ lease, lease_until: { $lte: until } }, { lease_until: 1 }, wellOnly, count);
	}

	#queues(filter: QueryFilter<WebhookDocument>, order: Record<string, 1>, wellOnly: boolean, count: number) {
		const wanted = wellOnly ? { ...filter, failing_since: 0 } : filter;
		return this.#model.find(wanted, QUEUE_KEY, { sort: order, limit: count, everyAccount: true }).lean<QueueKey[]>();
	}

	/**
	 * @param key as it was read
	 * @returns false where somebody was faster
	 */
	async take({ _id, account_id, ...asRead }: QueueKey, lease: string, lease_until: number): Promise<boolean> {
		const filter = { _id, account_id, lease: asRead.lease, lease_until: asRead.lease_until };
		const { matchedCount } = await this.#model.updateOne(filter, { $set: { lease, lease_until, wake_at: 0 } });
		return matchedCount === 1;
	}

	/** Those of the queues that `lease` still has, of whatever accounts. */
	async renew(webhook_ids: number[], lease: string, lease_until: number): Promise<void> {
		const owned = { _id: { $in: webhook_ids }, lease };
		await this.#model.updateMany(owned, { $set: { lease_until } }).setOptions({ everyAccount: true });
	}

	/** @returns false where the queue was marked since the mark was cleared, or `lease` has lost it */
	async giveBack({ _id, account_id }: WebhookKey, lease: string, wake_at: number): Promise<boolean> {
		const unmarked = { _id, account_id, lease, wake_at: 0 };
		return (await this.#model.updateOne(unmarked, { $set: { ...FREE, wake_at } })).matchedCount === 1;
	}

	/** Leaves those of the queues that `lease` still has to others. */
	async abandon(webhook_ids: number[], lease: string): Promise<void> {
		const owned = { _id: { $in: webhook_ids }, lease };
		await this.#model.updateMany(owned, { $set: ABANDONED }).setOptions({ everyAccount: true });
	}

	/** Frees every queue, whoever has it: for a process that no other one is beside. */
	async abandonAll(): Promise<void> {
		await this.#model.updateMany({ lease: { $gt: '' } }, { $set: ABANDONED }).setOptions({ everyAccount: true });
	}

	/** The queue whose term ends first, of the owner that follows `lease`; null behind the last owner. */
	firstTermBehind(lease: string): Promise<QueueKey | null> {
		return this.#term({ $gt: lease }, 1);
	}

	/** The queue of this owner whose term ends last. */
	lastTermOf(lease: string): Promise<QueueKey | null> {
		return this.#term(lease, -1);
	}

	#term(lease: string | { $gt: string }, order: 1 | -1): Promise<QueueKey | null> {
		const ordered = { sort: { lease: 1, lease_until: order }, everyAccount: true };
		return this.#model.findOne({ lease }, QUEUE_KEY, ordered).lean<QueueKey>();
	}

	/** Those of the webhooks that are there, of whatever accounts. */
	async present(webhook_ids: number[]): Promise<Map<number, WebhookState>> {
		if (webhook_ids.length === 0) return new Map();
		const fields = { account_id: 1, wake_at: 1, lease: 1 } as const;
		const filter = { _id: { $in: webhook_ids } };
		const found = await this.#model.find(filter, fields, { everyAccount: true }).lean<WebhookState[]>();
		return new Map(found.map((webhook) => [webhook._id, webhook]));
	}

	/** @returns false where somebody else moved the cursor or has the queue now, or the webhook changed since it was read */
	async moveCursor(webhook: WebhookDocument, moved: Pick<WebhookDocument, 'cursor' | 'missed'>): Promise<boolean> {
		const { _id, account_id, version, cursor, lease } = webhook;
		const asRead = { _id, account_id, version, cursor, lease, deleted_at: null };
		return (await retryDeadlock(() => this.#model.updateOne(asRead, { $set: moved }))).matchedCount === 1;
	}

	/** Where it is still the endpoint that was judged. */
	async noteHealth(
		webhook: WebhookDocument,
		health: Pick<WebhookDocument, 'failing_since' | 'failed_at'>,
	): Promise<void> {
		const { _id, account_id, lease, epoch, failing_since, failed_at } = webhook;
		await this.#model.updateOne({ _id, account_id, lease, epoch, failing_since, failed_at }, { $set: health });
	}

	/** The webhook as it is now; null where it is not the enabled endpoint any more that was `judged`. */
	findJudged({ _id, account_id }: WebhookKey, judged: Partial<WebhookDocument>): Promise<WebhookDocument | null> {
		const filter = { _id, account_id, ...judged, enabled: true, deleted_at: null };
		return this.#model.findOne(filter).lean<WebhookDocument>();
	}

	/** @returns false where it changed since it was read, or is not what was `judged` any more */
	async changeJudged(
		{ _id, account_id, version }: WebhookDocument,
		judged: Partial<WebhookDocument>,
		$set: Partial<WebhookDocument>,
	): Promise<boolean> {
		const filter = { _id, account_id, ...judged, enabled: true, deleted_at: null, version };
		return (await this.#model.updateOne(filter, { $set })).matchedCount === 1;
	}

	/** The wish that failed deliveries are sent again is fulfilled, unless it became another one meanwhile. */
	async endRecovery({ _id, account_id, recover_since, recover_until }: WebhookDocument): Promise<void> {
		const asRead = { _id, account_id, recover_since, recover_until };
		await this.#model.updateOne(asRead, { $set: { recover_since: 0, recover_until: 0 } });
	}
}
