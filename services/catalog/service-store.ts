import { setTimeout as delay } from 'node:timers/promises';
import type { Connection, QueryFilter } from 'mongoose';
import { accountKey } from '../../shared/contract/actions/common.ts';
import type { Scoped, ServiceKey } from '../../shared/contract/actions.ts';
import { matchOwned } from '../../shared/engine/by-account.ts';
import { Gatherer } from '../../shared/engine/gatherer.ts';
import { among, ofAccounts } from '../../shared/store/account-scope.ts';
import { boundedCount } from '../../shared/store/bounded-count.ts';
import type { Counter } from '../../shared/store/counter.ts';
import { findPlain } from '../../shared/store/find-plain.ts';
import { isDuplicateKey, isUnavailable, mayStillLand, retryDeadlock } from '../../shared/store/write-errors.ts';
import { type Deadline, withoutDeadline } from '../../shared/work/deadline.ts';
import type { PageWindow } from './page-window.ts';
import {
	changeable,
	deletion,
	fence,
	filler,
	NEXT,
	type ServiceDocument,
	type ServiceModel,
	serviceModel,
	type Unfinished,
	WITHOUT_LONG_FIELDS,
} from './service.model.ts';

/** ms; where the store does not answer */
const RETRY_EVERY = 100;

type Owned = Pick<ServiceDocument, '_id' | 'account_id'>;

/** What bookings of its slots are decided by. */
const NOW = {
	account_id: 1,
	timezone: 1,
	rules: 1,
	overrides_version: 1,
	overrides_changed_at: 1,
	generation: 1,
} as const;
export type ServiceNow = Pick<ServiceDocument, '_id' | keyof typeof NOW>;

/** Every read and write of services. A deleted service stays as a tombstone; a fence is one from the start. */
export class ServiceStore {
	readonly model: ServiceModel;
	readonly #ids: Counter;
	readonly #byId = new Gatherer<ServiceKey, ServiceDocument | null>((keys) => this.#findAll(keys));

	constructor(connection: Connection, ids: Counter) {
		this.model = serviceModel(connection);
		this.#ids = ids;
	}

	nextId(): Promise<number> {
		return this.#ids.nextIds(1);
	}

	/**
	 * The service as it is now, also a deleted one; null where there is none or where it is another account's. Reads that
	 * arrive together share one statement.
	 */
	find(account_id: string, service_id: number): Promise<ServiceDocument | null> {
		return this.#byId.ask({ account_id, service_id });
	}

	/** Those of these services that are not deleted, as they are now; whose each is, is the caller's to look at. */
	async now(keys: readonly ServiceKey[]): Promise<ServiceNow[]> {
		if (keys.length === 0) return [];
		const _id = among(keys.map(({ service_id }) => service_id));
		return findPlain(this.model, { _id, ...ofAccounts(keys), deleted_at: null }, { projection: NOW });
	}

	/** The service that was created under an Idempotency-Key, also a deleted one. */
	findByKey(account_id: string, idempotency_key: string): Promise<ServiceDocument | null> {
		return this.model.findOne({ account_id, idempotency_key }, WITHOUT_LONG_FIELDS).lean<ServiceDocument>();
	}

	/**
	 * What has the id of a service that was to be inserted: the service, or a fence.
	 * @returns null where there is neither · `unknown`: the store is away
	 */
	async holderOfId({ _id, account_id, write_id }: ServiceDocument): Promise<'inserted' | 'fenced' | 'unknown' | null> {
		try {
			const there = await this.model.findOne({ _id, account_id }, { write_id: 1 }).lean();
			if (!there) return null;
			return there.write_id === write_id ? 'inserted' : 'fenced';
		} catch (error) {
			if (!isUnavailable(error)) throw error;
			return 'unknown';
		}
	}

	/** Services that are not deleted, by id. */
	list(account_id: string, { after, skip, limit }: PageWindow): Promise<ServiceDocument[]> {
		const filter = { account_id, deleted_at: null, _id: { $gt: after } };
		return findPlain(this.model, filter, { sort: { _id: 1 }, skip, limit, projection: WITHOUT_LONG_FIELDS });
	}

	/**
	 * Ids of services that may have bookings, each once: of those that are not deleted, and of those that booking has not closed
	 * yet. They are read in the order in which a service becomes the one and then the other, so none is between the two.
	 */
	async ids(account_id: string): Promise<number[]> {
		const window = { sort: { _id: 1 }, projection: { _id: 1 } } as const;
		const unfinished: Unfinished = 'deleting';
		const there = await findPlain(this.model, { account_id, deleted_at: null }, window);
		const deleting = await findPlain(this.model, { account_id, unfinished }, window);
		return [...new Set([...there, ...deleting].map(({ _id }) => _id))];
	}

	/** Services that are not deleted, which is those that count against the plan; exact up to 10,000. */
	count(account_id: string): Promise<number> {
		return boundedCount(this.model, { account_id, deleted_at: null }, accountKey({ account_id }));
	}

	/** Allotments that are held, at most `limit` of them. */
	async heldAllotments(account_id: string, limit: number): Promise<string[]> {
		const held = await this.model.find({ account_id, deleted_at: null }, { place: 1 }, { limit }).lean();
		return held.map(({ place }) => place);
	}

	/**
	 * @returns `taken`: one of its unique keys is another document's · `unknown`: it may be there, or still come
	 * @throws what the store throws where it has not inserted it and will not
	 */
	async insert(service: ServiceDocument): Promise<'inserted' | 'taken' | 'unknown'> {
		try {
			await retryDeadlock(() => this.model.insertMany([service], { lean: true }));
			return 'inserted';
		} catch (error) {
			if (isDuplicateKey(error)) return 'taken';
			if (mayStillLand(error)) return 'unknown';
			throw error;
		}
	}

	/**
	 * Puts a tombstone in the place of a service that is not there, so that it cannot come any more: a late insert meets a
	 * duplicate `_id`. It is tried until the store answers, or the deadline has passed.
	 * @returns `there`: the id is taken, by the service or by somebody else's fence · `fenced` · `unknown`: no answer
	 */
	async fence(
		account_id: string,
		id: number,
		now: number,
		deadline: Deadline,
	): Promise<'there' | 'fenced' | 'unknown'> {
		const tombstone = fence(account_id, id, now);
		while (deadline.remaining() > 0) {
			try {
				const insertion = await withoutDeadline(() => this.insert(tombstone));
				if (insertion === 'inserted') return 'fenced';
				if (insertion === 'taken') return 'there';
			} catch (error) {
				if (!isUnavailable(error)) throw error;
				await delay(RETRY_EVERY);
			}
		}
		return 'unknown';
	}

	/** Frees the Idempotency-Key of a service whose first answer is kept no longer. */
	async forgetAnswer({ _id, account_id, idempotency_key }: ServiceDocument): Promise<void> {
		const change = { idempotency_key: filler(_id), idempotency: null };
		await this.model.updateOne({ _id, account_id, idempotency_key }, { $set: change });
	}

	/**
	 * Stores what an update left of a service.
	 * @returns false where the service is not any more as it was `before`
	 */
	async update(before: ServiceDocument, after: ServiceDocument): Promise<boolean> {
		const { version, updated_at, schedule_version } = after;
		const change = {
			...changeable(after),
			version,
			updated_at,
			...(schedule_version !== undefined && { schedule_version }),
		};
		const filter = { ...asRead(before), schedule_version: before.schedule_version ?? null };
		return (await this.model.updateOne(filter as object, { $set: change })).matchedCount === 1;
	}

	/**
	 * Deletes the service: the commit of a deletion. Where the answer is lost, the same write is repeated until one is
	 * answered: whichever of them lands, no other one does. A write that was left on its way could delete the service later,
	 * with bookings that were acknowledged meanwhile, for bookings leave the version of their service as it is.
	 * @param now ms
	 * @returns false where the service is not any more as it was `before`, because of a try that was lost or somebody else
	 * @throws gateway_timeout where no try was answered in time
	 */
	async delete(before: ServiceDocument, now: number, deadline: Deadline): Promise<boolean> {
		const change = { $set: deletion(before._id, now) };
		for (let lost = false; ; await delay(RETRY_EVERY)) {
			deadline.assertTimeLeft();
			try {
				return (await this.model.updateOne(asRead(before), change)).matchedCount === 1;
			} catch (error) {
				lost ||= mayStillLand(error);
				if (!lost || !isUnavailable(error)) throw error;
			}
		}
	}

	/** Notes that what was left to do is done. */
	async done({ _id, account_id }: Owned, step: keyof typeof NEXT): Promise<void> {
		await this.model.updateOne({ _id, account_id, unfinished: step }, { $set: { unfinished: NEXT[step] } });
	}

	/** Notes that a client was sent the `ok` of a DELETE: one after it finds nothing. */
	async deletionAnswered({ service_id: _id, account_id }: ServiceKey): Promise<'ok'> {
		await this.model.updateOne({ _id, account_id, deleted_at: { $ne: null } }, { $set: { delete_answered: true } });
		return 'ok';
	}

	async isUnanswered({ _id, account_id }: Owned): Promise<boolean> {
		return (await this.model.exists({ _id, account_id, delete_answered: false })) !== null;
	}

	/** Services of the account whose slots are not yet all as its document has them, by id. */
	halfDone(account_id: string): Promise<ServiceDocument[]> {
		const filter = { account_id, unfinished: { $in: ['opening', 'deleting', 'replacing'] satisfies Unfinished[] } };
		return this.model.find(filter, WITHOUT_LONG_FIELDS).sort({ _id: 1 }).lean<ServiceDocument[]>();
	}

	/** Services of every account, for the sweep. */
	unfinished(step: Exclude<Unfinished, ''>, most: number): Promise<ServiceDocument[]> {
		return this.#ofAll({ unfinished: step }, most);
	}

	/** Tombstones of every account that may go, for the sweep. @param now ms */
	expired(now: number, most: number): Promise<ServiceDocument[]> {
		return this.#ofAll({ unfinished: '', remove_at: { $gt: 0, $lte: now } }, most);
	}

	async remove({ _id, account_id }: Owned): Promise<void> {
		await this.model.deleteOne({ _id, account_id });
	}

	/** The account that a service belongs to, for operators, who know only its id; null where it is deleted. */
	ownerOf(service_id: number): Promise<Scoped | null> {
		const present = { _id: service_id, deleted_at: null };
		return this.model.findOne(present, { _id: 0, account_id: 1 }, { everyAccount: true }).lean<Scoped>();
	}

	#ofAll(filter: QueryFilter<ServiceDocument>, most: number): Promise<ServiceDocument[]> {
		return this.model
			.find(filter, WITHOUT_LONG_FIELDS)
			.setOptions({ everyAccount: true })
			.limit(most)
			.lean<ServiceDocument[]>();
	}

	async #findAll(keys: ServiceKey[]): Promise<(ServiceDocument | null)[]> {
		const idOf = (key: ServiceKey) => key.service_id;
		const filter = { _id: among(keys.map(idOf)), ...ofAccounts(keys) };
		return matchOwned(
			keys,
			idOf,
			await findPlain(this.model, filter, { projection: WITHOUT_LONG_FIELDS }),
			(service) => service._id,
		);
	}
}

/** Compare-and-set: the service as it was read, unless it changed or was deleted since. */
function asRead({ _id, account_id, version }: ServiceDocument) {
	return { _id, account_id, version, deleted_at: null };
}
