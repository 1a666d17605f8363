import type { Scoped } from '../../../../shared/contract/actions.ts';
import { ApiError } from '../../../../shared/contract/errors.ts';
import { WEBHOOKS_LIMIT } from '../../../../shared/contract/schemas/webhook.ts';
import { isDuplicateKey, mayStillLand, retryDeadlock } from '../../../../shared/store/write-errors.ts';
import type { WebhookDocument, WebhookModel } from './webhook.model.ts';
import { allotmentsOf, chooseFree, filler, urlAllotmentsOf } from './webhook-states.ts';

interface WebhookId extends Scoped {
	webhook_id: number;
}

type Recovery = Pick<WebhookDocument, 'recover_since' | 'recover_until'>;

/** Reads and writes of webhooks, as clients and operators see them. What their queues write is `QueueStore`'s. */
export class EndpointStore {
	readonly #model: WebhookModel;

	constructor(model: WebhookModel) {
		this.#model = model;
	}

	/** @throws webhook_not_found, also where it is deleted or another account's */
	async find({ account_id, webhook_id }: WebhookId): Promise<WebhookDocument> {
		const filter = { _id: webhook_id, account_id, deleted_at: null };
		const webhook = await this.#model.findOne(filter).lean<WebhookDocument>();
		if (!webhook) throw new ApiError('webhook_not_found');
		return webhook;
	}

	/** All of an account, by id. */
	list(account_id: string): Promise<WebhookDocument[]> {
		const filter = { account_id, deleted_at: null };
		return this.#model.find(filter).sort({ _id: 1 }).limit(WEBHOOKS_LIMIT).lean<WebhookDocument[]>();
	}

	/** One of the account's allotments that is free; null where all are taken. */
	async chooseAllotment(account_id: string): Promise<string | null> {
		const filter = { account_id, deleted_at: null };
		const held = await this.#model.find(filter, { place: 1 }, { limit: WEBHOOKS_LIMIT }).lean();
		const taken = held.map(({ place }) => place);
		return chooseFree(allotmentsOf(account_id), taken);
	}

	/** One of the allotments for the webhook's URL that no other one has; null where all are taken. */
	async chooseUrlAllotment({ _id, account_id, url }: WebhookDocument): Promise<string | null> {
		const allotments = urlAllotmentsOf(account_id, url);
		const filter = { account_id, url_place: { $in: allotments }, _id: { $ne: _id } };
		const held = await this.#model.find(filter, { url_place: 1 }).lean();
		const taken = held.map(({ url_place }) => url_place);
		return chooseFree(allotments, taken);
	}

	/**
	 * @returns false where one of its allotments or its Idempotency-Key was taken
	 * @throws gateway_timeout where nobody knows whether it is there
	 */
	async insert(webhook: WebhookDocument): Promise<boolean> {
		const { _id, account_id } = webhook;
		try {
			await retryDeadlock(() => this.#model.insertMany([webhook], { lean: true }));
			return true;
		} catch (error) {
			const wasTaken = isDuplicateKey(error);
			if (!wasTaken && !mayStillLand(error)) throw error;
			if (await this.#model.exists({ _id, account_id })) return true; // the id is this creation's alone
			if (wasTaken) return false;
			throw new ApiError('gateway_timeout');
		}
	}

	/**
	 * Changes a webhook that is still as it was read. Its sealed secret is part of that: what is sealed anew under another
	 * SECRET_KEY has no new version, and must not come back as it was.
	 * @returns false where somebody else was faster: with a change of it, or at the allotment that it chose
	 */
	async change(
		{ _id, account_id, version, secret }: WebhookDocument,
		$set: Partial<WebhookDocument>,
	): Promise<boolean> {
		try {
			const filter = { _id, account_id, version, secret, deleted_at: null };
			const { matchedCount } = await retryDeadlock(() => this.#model.updateOne(filter, { $set }));
			return matchedCount === 1;
		} catch (error) {
			if (isDuplicateKey(error)) return false;
			throw error;
		}
	}

	/** The webhook that was created under the key, whatever became of it. */
	createdUnder(account_id: string, idempotency_key: string): Promise<WebhookDocument | null> {
		return this.#model.findOne({ account_id, idempotency_key }).lean<WebhookDocument>();
	}

	/** Its Idempotency-Key may be used anew. */
	async freeKey({ _id, account_id, idempotency_key }: WebhookDocument): Promise<void> {
		const $set = { idempotency_key: filler(_id), idempotency: null };
		await this.#model.updateOne({ _id, account_id, idempotency_key }, { $set });
	}

	/** Whether it is deleted, and no client was sent the `ok` yet. */
	async isDeletionUnanswered({ account_id, webhook_id }: WebhookId): Promise<boolean> {
		const unanswered = { _id: webhook_id, account_id, deleted_at: { $ne: null }, delete_answered: false };
		return (await this.#model.exists(unanswered)) !== null;
	}

	/** Notes that a client was sent the `ok`: a DELETE after it finds nothing. */
	async noteDeletionAnswered({ account_id, webhook_id }: WebhookId): Promise<'ok'> {
		const deleted = { _id: webhook_id, account_id, deleted_at: { $ne: null } };
		await this.#model.updateOne(deleted, { $set: { delete_answered: true } });
		return 'ok';
	}

	/**
	 * Notes which failed deliveries are to be sent again.
	 * @returns false where another wish was noted since the webhook was read, or it was disabled or deleted
	 */
	async noteRecovery(webhook: WebhookDocument, wanted: Recovery): Promise<boolean> {
		const { _id, account_id, recover_since, recover_until } = webhook;
		const asRead = { _id, account_id, recover_since, recover_until, enabled: true, deleted_at: null };
		return (await this.#model.updateOne(asRead, { $set: wanted })).matchedCount === 1;
	}

	/** Whose a webhook is; null where there is none. */
	ownerOf(webhook_id: number): Promise<Scoped | null> {
		const present = { _id: webhook_id, deleted_at: null };
		return this.#model.findOne(present, { _id: 0, account_id: 1 }, { everyAccount: true }).lean<Scoped>();
	}

	/** Of every account, those that fail for longest. */
	failing(count: number): Promise<WebhookDocument[]> {
		const longest = { sort: { failing_since: 1 }, limit: count, everyAccount: true };
		return this.#model.find({ failing_since: { $gt: 0 } }, {}, longest).lean<WebhookDocument[]>();
	}

	/** Which of these webhooks, of any account, are sent to. */
	async enabledOf(webhook_ids: number[]): Promise<Set<number>> {
		const filter = { _id: { $in: [...new Set(webhook_ids)] }, enabled: true, deleted_at: null };
		const found = await this.#model.find(filter, { _id: 1 }, { everyAccount: true }).lean();
		return new Set(found.map(({ _id }) => _id));
	}

	/** Of every account, deleted ones too, by id. */
	ofEveryAccount(after: number, limit: number): Promise<WebhookDocument[]> {
		const options = { sort: { _id: 1 as const }, limit, everyAccount: true };
		return this.#model.find({ _id: { $gt: after } }, {}, options).lean<WebhookDocument[]>();
	}

	/** A webhook as it is now, deleted or not; null where it was removed. */
	asItIs({ _id, account_id }: WebhookDocument): Promise<WebhookDocument | null> {
		return this.#model.findOne({ _id, account_id }).lean<WebhookDocument>();
	}

	/** Sets what is sealed of a webhook. @returns false where it is not as it was read */
	async seal(
		{ _id, account_id, version, secret, idempotency_key }: WebhookDocument,
		$set: Pick<WebhookDocument, 'secret' | 'old_secrets' | 'idempotency'>,
	): Promise<boolean> {
		const asRead = { _id, account_id, version, secret, idempotency_key };
		return (await this.#model.updateOne(asRead, { $set })).matchedCount === 1;
	}

	/** Removes deleted webhooks, of every account, whose Idempotency-Key answers no more. */
	async removeTombstones(now: number): Promise<void> {
		await this.#model.deleteMany({ remove_at: { $gt: 0, $lte: now } }).setOptions({ everyAccount: true });
	}
}
