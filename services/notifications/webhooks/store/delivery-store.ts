import type { QueryFilter } from 'mongoose';
import { accountKey } from '../../../../shared/contract/actions/common.ts';
import type { Scoped } from '../../../../shared/contract/actions.ts';
import type { DeliveryAttempt } from '../../../../shared/contract/schemas/delivery.ts';
import { boundedCount, EXACT_UP_TO } from '../../../../shared/store/bounded-count.ts';
import { findPlain } from '../../../../shared/store/find-plain.ts';
import { insertNew } from '../../../../shared/store/insert-new.ts';
import { retryDeadlock } from '../../../../shared/store/write-errors.ts';
import { type DeliveryDocument, type DeliveryModel, deliveryKey } from './delivery.model.ts';
import type { WebhookKey } from './queue-store.ts';

/** A delivery as far as `changeAsRead` needs it */
export type Revision = Pick<DeliveryDocument, '_id' | 'revision'>;
type Sent = Pick<DeliveryDocument, '_id' | 'webhook_id' | 'event_id' | 'status'>;
type Due = Pick<DeliveryDocument, '_id' | 'account_id' | 'webhook_id' | 'due_at' | 'made'>;
export type Filters = Partial<Pick<DeliveryDocument, 'status' | 'event_type'>>;
/** Where a page begins: so many rows on, or behind the id `after` */
export interface Start {
	offset: number;
	after?: number | undefined;
}

const REVISION = { _id: 1, revision: 1 } as const;
/** It waits: to be attempted now, or when its retry is due. */
const WAITING = { due_at: { $gt: 0 } };

/** Every read and write of deliveries. Moments are queues' time (ms), unless a name says otherwise. */
export class DeliveryStore {
	readonly #model: DeliveryModel;

	constructor(model: DeliveryModel) {
		this.#model = model;
	}

	async insert(delivery: DeliveryDocument): Promise<void> {
		await this.#model.insertMany([delivery], { lean: true });
	}

	/** What is there already stays as it is. */
	insertMissing(deliveries: DeliveryDocument[]): Promise<void> {
		return insertNew(this.#model, deliveries);
	}

	find({ account_id, webhook_id }: Scoped & { webhook_id: number }, _id: number): Promise<DeliveryDocument | null> {
		return this.#model.findOne({ _id, account_id, webhook_id }).lean<DeliveryDocument>();
	}

	/** Whose a delivery is, and of which webhook. */
	keyOf(_id: number): Promise<Pick<DeliveryDocument, 'account_id' | 'webhook_id'> | null> {
		return this.#model.findOne({ _id }, { account_id: 1, webhook_id: 1 }, { everyAccount: true }).lean();
	}

	/** The deliveries of a webhook by id, at most `limit`, and how many there are. */
	async list(
		{ _id: webhook_id, account_id }: WebhookKey,
		{ status, event_type }: Filters,
		{ offset, after }: Start,
		limit: number,
	): Promise<{ rows: DeliveryDocument[]; total: number }> {
		const filters = { ...(status && { status }), ...(event_type && { event_type }) };
		const filter: QueryFilter<DeliveryDocument> = { account_id, webhook_id, ...filters };
		const [total, rows] = await Promise.all([
			boundedCount(this.#model, filter, accountKey({ account_id }, webhook_id, JSON.stringify(filters))),
			after === undefined
				? this.#model.find(filter, {}, { sort: { _id: 1 }, skip: offset, limit }).lean<DeliveryDocument[]>()
				: this.#model
						.find({ ...filter, _id: { $gt: after } }, {}, { sort: { _id: 1 }, limit })
						.lean<DeliveryDocument[]>(),
		]);
		return { rows, total };
	}

	/** Deliveries of events to some webhooks, by the event's id. */
	async ofEvents(account_id: string, webhook_ids: number[], event_ids: string[]): Promise<Map<string, Sent[]>> {
		const keys = event_ids.flatMap((event_id) => webhook_ids.map((webhook_id) => deliveryKey(webhook_id, event_id)));
		if (keys.length === 0) return new Map();
		const projection = { webhook_id: 1, event_id: 1, status: 1 } as const;
		const found = await findPlain(this.#model, { account_id, key: { $in: keys } }, { hint: 'key', projection });
		return Map.groupBy(found.sort((left, right) => left._id - right._id) as Sent[], ({ event_id }) => event_id);
	}

	/** The newest first. */
	latest(account_id: string, webhook_id: number, count: number): Promise<DeliveryDocument[]> {
		return this.#model.find({ account_id, webhook_id }).sort({ _id: -1 }).limit(count).lean<DeliveryDocument[]>();
	}

	/** How many of a webhook's deliveries wait, and how many failed; 10,001 where there are more. */
	async counts({ _id: webhook_id, account_id }: WebhookKey): Promise<{ waiting: number; failed: number }> {
		const [waiting, failed] = await Promise.all(
			[WAITING, { status: 'failed' as const }].map((which) =>
				this.#model.countDocuments({ account_id, webhook_id, ...which }, { limit: EXACT_UP_TO + 1 }),
			),
		);
		return { waiting: waiting!, failed: failed! };
	}

	/**
	 * Changes a delivery that is still as it was read.
	 * @param $set with the next `revision`
	 * @returns false where it was changed meanwhile
	 */
	async change({ _id, account_id, revision }: DeliveryDocument, $set: Partial<DeliveryDocument>): Promise<boolean> {
		const asRead = { _id, account_id, revision };
		return (await retryDeadlock(() => this.#model.updateOne(asRead, { $set }))).matchedCount === 1;
	}

	/** Adds an attempt to the list, and changes nothing else. */
	async addAttempt({ _id, account_id }: DeliveryDocument, attempt: DeliveryAttempt): Promise<void> {
		await this.#model.updateOne({ _id, account_id }, { $push: { attempts: attempt } });
	}

	/**
	 * Changes those of the deliveries that are still as they were read. What somebody changed meanwhile (attempted, asked for
	 * again) stays. Most have the same few revisions, so a page takes a few writes.
	 */
	async changeAsRead(account_id: string, read: Revision[], $set: Partial<DeliveryDocument>): Promise<void> {
		for (const [revision, alike] of Map.groupBy(read, (delivery) => delivery.revision)) {
			const filter = { account_id, _id: { $in: alike.map(({ _id }) => _id) }, revision };
			await this.#model.updateMany(filter, { $set, $inc: { revision: 1 } });
		}
	}

	/** Those that became due after `after`, up to `until`, the longest due first. */
	due(
		{ _id: webhook_id, account_id }: WebhookKey,
		after: number,
		until: number,
		count: number,
	): Promise<DeliveryDocument[]> {
		const filter = { account_id, webhook_id, due_at: { $gt: after, $lte: until } };
		return this.#model.find(filter).sort({ due_at: 1 }).limit(count).lean<DeliveryDocument[]>();
	}

	/** When the next attempt for a webhook is due; 0 where none waits. */
	async nextDue({ _id: webhook_id, account_id }: WebhookKey): Promise<number> {
		const filter = { account_id, webhook_id, ...WAITING };
		const next = await this.#model.findOne(filter, { due_at: 1 }, { sort: { due_at: 1 } }).lean();
		return next?.due_at ?? 0;
	}

	waiting({ _id: webhook_id, account_id }: WebhookKey, count: number): Promise<Revision[]> {
		const filter = { account_id, webhook_id, ...WAITING };
		return this.#model.find(filter).sort({ due_at: 1 }).limit(count).select(REVISION).lean<Revision[]>();
	}

	/** Those that failed from `since` to `until`. */
	failed(
		{ _id: webhook_id, account_id }: WebhookKey,
		since: number,
		until: number,
		count: number,
	): Promise<Revision[]> {
		const filter = { account_id, webhook_id, failed_at: { $gte: Math.max(1, since), $lte: until } };
		return this.#model.find(filter).sort({ failed_at: 1 }).limit(count).select(REVISION).lean<Revision[]>();
	}

	/** When a delivery of the webhook failed last; 0 where none did. */
	async lastFailure({ _id: webhook_id, account_id }: WebhookKey): Promise<number> {
		const filter = { account_id, webhook_id, failed_at: { $gt: 0 } };
		const last = await this.#model.findOne(filter, { failed_at: 1 }, { sort: { failed_at: -1 } }).lean();
		return last?.failed_at ?? 0;
	}

	/** Removes deliveries of a webhook. @returns how many, at most `count` */
	async removeSome({ _id: webhook_id, account_id }: WebhookKey, count: number): Promise<number> {
		const first = { sort: { _id: 1 }, limit: count };
		const page = await this.#model.find({ account_id, webhook_id }, { _id: 1 }, first).lean();
		if (page.length > 0) await this.#model.deleteMany({ account_id, _id: { $in: page.map(({ _id }) => _id) } });
		return page.length;
	}

	/** How many deliveries of all accounts wait; 10,001 where there are more. */
	countWaiting(): Promise<number> {
		return this.#model.countDocuments(WAITING, { limit: EXACT_UP_TO + 1 }).setOptions({ everyAccount: true });
	}

	/** Of every account, those that are or will be due first; from `after` on, up to `until`. */
	longestDue(count: number, after = 0, until?: number): Promise<Due[]> {
		const filter = { due_at: until === undefined ? { $gt: after } : { $gt: after, $lte: until } };
		const fields = { account_id: 1, webhook_id: 1, due_at: 1, made: 1 } as const;
		return this.#model.find(filter, fields, { sort: { due_at: 1 }, limit: count, everyAccount: true }).lean<Due[]>();
	}

	/**
	 * Of every account, some that were created before `createdBefore` (ISO 8601) and do not wait.
	 * @returns their ids
	 */
	async old(createdBefore: string, count: number): Promise<number[]> {
		const old = { created_at: { $lt: createdBefore }, due_at: 0 };
		const oldest = { sort: { created_at: 1 }, limit: count, everyAccount: true };
		const page = await this.#model.find(old, { _id: 1 }, oldest).lean();
		return page.map(({ _id }) => _id);
	}

	/** Removes deliveries of whatever accounts. @returns how many were there */
	async remove(delivery_ids: number[]): Promise<number> {
		if (delivery_ids.length === 0) return 0;
		const filter = { _id: { $in: delivery_ids } };
		return (await this.#model.deleteMany(filter).setOptions({ everyAccount: true })).deletedCount;
	}
}
