import { among, ofAccounts } from '../../../shared/store/account-scope.ts';
import { bulkWriteErrors, isDuplicateKey, retryDeadlock } from '../../../shared/store/write-errors.ts';
import type { EventDocument, EventModel } from './event.model.ts';

export interface EventKey {
	account_id: string;
	event_id: string;
}

type Oldest = Pick<EventDocument, 'account_id' | 'appended_at'>;
type Age = Pick<EventDocument, 'sequence' | 'appended_at'>;

/** Every read and write of the collection of events. What is true of the log as a whole is `EventLog`'s. */
export class EventStore {
	readonly #model: EventModel;

	constructor(model: EventModel) {
		this.#model = model;
	}

	/**
	 * Inserts events in the order given; the first one that is refused ends it.
	 * @returns false where the store refused one: a number or an event that is there, or a deadlock
	 */
	async insert(events: EventDocument[]): Promise<boolean> {
		try {
			await retryDeadlock(() => this.#model.insertMany(events, { ordered: true, lean: true }));
			return true;
		} catch (error) {
			if (isDuplicateKey(error) || bulkWriteErrors(error)) return false;
			throw error;
		}
	}

	/**
	 * The end of an account's log; 0 where it has no event.
	 * @param above a sequence that it is known to have reached; the search begins there
	 */
	async newestSequence(account_id: string, above = 0): Promise<number> {
		const newest = await this.#model
			.findOne({ account_id, sequence: { $gt: above } }, { sequence: 1 })
			.sort({ sequence: -1 })
			.lean();
		return newest?.sequence ?? above;
	}

	/** Those of the ids that are in the account's log. */
	async present(account_id: string, ids: string[]): Promise<Set<string>> {
		const found = await this.#model.find({ account_id, _id: { $in: ids } }, { _id: 1 }).lean();
		return new Set(found.map(({ _id }) => _id));
	}

	/** The events that have these ids, of any of the accounts: whose each one is remains to be compared. */
	findMany(keys: readonly EventKey[]): Promise<EventDocument[]> {
		const filter = { _id: among(keys.map(({ event_id }) => event_id)), ...ofAccounts(keys) };
		return this.#model.find(filter).lean<EventDocument[]>();
	}

	/** The next `count` events of an account behind `after`. */
	after(account_id: string, after: number, count: number): Promise<EventDocument[]> {
		const filter = { account_id, sequence: { $gt: after } };
		return this.#model.find(filter).sort({ sequence: 1 }).limit(count).lean<EventDocument[]>();
	}

	/** The same of one type, up to the sequence `end`. */
	ofType(
		{ account_id, type }: Pick<EventDocument, 'account_id' | 'type'>,
		after: number,
		end: number,
		count: number,
	): Promise<EventDocument[]> {
		const filter = { account_id, type, sequence: { $gt: after, $lte: end } };
		return this.#model.find(filter).sort({ sequence: 1 }).limit(count).lean<EventDocument[]>();
	}

	/** The oldest event of the account that follows `account_id`; null behind the last one. */
	oldestBehind(account_id: string): Promise<Oldest | null> {
		return this.#model
			.findOne({ account_id: { $gt: account_id } }, { account_id: 1, appended_at: 1 }, { everyAccount: true })
			.sort({ account_id: 1, sequence: 1 })
			.lean<Oldest>();
	}

	/** The ages of an account's oldest events before the sequence `end`. */
	oldest(account_id: string, end: number, count: number): Promise<Age[]> {
		return this.#model
			.find({ account_id, sequence: { $lt: end } }, { sequence: 1, appended_at: 1 })
			.sort({ sequence: 1 })
			.limit(count)
			.lean<Age[]>();
	}

	/** Removes the beginning of an account's log. @returns how many events that were */
	async removeUpTo(account_id: string, sequence: number): Promise<number> {
		return (await this.#model.deleteMany({ account_id, sequence: { $lte: sequence } })).deletedCount;
	}
}
