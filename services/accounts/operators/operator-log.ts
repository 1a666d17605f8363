import type { Connection, Model } from 'mongoose';
import type { LogCursor } from '../../../shared/contract/account-reports.ts';
import { isDuplicateKey, retryDeadlock } from '../../../shared/store/write-errors.ts';
import { insertNew } from '../insert-new.ts';
import { type LogRow, logModel } from './operator-log.model.ts';

/** Who did what: every change of accounts, keys and plans, and what keys were refused for want of a scope. */
export class OperatorLog {
	readonly model: Model<LogRow>;

	constructor(connection: Connection) {
		this.model = logModel(connection);
	}

	/** Entries that are there already stay as they are. */
	append(...entries: LogRow[]): Promise<void> {
		return insertNew(this.model, entries);
	}

	/** @returns false where the entry is there already */
	async appendOnce(entry: LogRow): Promise<boolean> {
		try {
			await retryDeadlock(() => this.model.insertMany([entry], { lean: true }));
			return true;
		} catch (error) {
			if (isDuplicateKey(error)) return false;
			throw error;
		}
	}

	/**
	 * Entries, oldest first: those of the moment that `after` names which come after it, then those of later moments.
	 * @param asked `since`: ISO 8601 UTC, the first moment, where there is no `after`
	 */
	async read(
		{ account_id, since = '', after }: { account_id?: string; since?: string; after?: LogCursor },
		limit: number,
	): Promise<LogRow[]> {
		const read = async (filter: object, most: number) => {
			const whose = account_id === undefined ? {} : { account_id };
			const query = this.model.find({ ...whose, ...filter }, {}, { everyAccount: true });
			return query.sort({ at: 1, _id: 1 }).limit(most).lean<LogRow[]>();
		};
		if (after === undefined) return read({ at: { $gte: since } }, limit);
		const found = await read({ at: after.at, _id: { $gt: after.id } }, limit);
		if (found.length === limit) return found;
		return [...found, ...(await read({ at: { $gt: after.at } }, limit - found.length))];
	}
}
