import { type Connection, type Model, Schema } from 'mongoose';
import type { LogCursor, LogEntry, LogEvent, OperatorMeta } from '../../../shared/contract/account-reports.ts';
import { accountScope } from '../../../shared/store/account-scope.ts';
import { insertNew } from '../../../shared/store/insert-new.ts';
import { modelOf, text } from '../../../shared/store/model.ts';
import { isDuplicateKey, retryDeadlock } from '../../../shared/store/write-errors.ts';

/** Who did it: `by` is what an operator's command says of itself. */
export type Who = Pick<LogRow, 'actor' | 'by'>;

/** One that does not say who he is. */
export const AN_OPERATOR: Who = { actor: 'operator' };

/** The operator whose command called an action. */
export function operatorOf({ meta }: { meta: unknown }): Who {
	const { operator } = meta as OperatorMeta;
	return operator === undefined ? AN_OPERATOR : { ...AN_OPERATOR, by: operator };
}

/** In place of an account in an entry that is about all of them, such as a changed plan. */
export const EVERY_ACCOUNT = '*';

/**
 * One line of the operator log, in the collection `audit_log`. It is written before the change that it tells of: an entry
 * may stand for a change that failed, but there is no change without an entry.
 */
interface LogRow {
	/** `<event>:<subject>[:<change>]`: racers and retries of one thing write one entry */
	_id: string;
	account_id: string;
	at: string;
	event: LogEvent;
	/** Id of the account or key, or name of the plan, that it happened to */
	subject: string;
	actor: LogEntry['actor'];
	/** Absent where no operator gave a command */
	by?: string;
	/** What a reader wants to know beside it; never a key, never a person's data */
	details: Record<string, unknown>;
}

export const logModel = modelOf<LogRow>('AuditEntry', 'audit_log', {
	fields: {
		_id: text,
		account_id: text,
		at: text,
		event: text,
		subject: text,
		actor: text,
		by: String,
		details: { type: Schema.Types.Mixed, required: true },
	},
	indexes: {
		account_id_1_at_1__id_1: { account_id: 1, at: 1, _id: 1 },
		at_1__id_1: { at: 1, _id: 1 },
	},
	plugins: [accountScope, appendOnly],
});

/** @param change tells apart what can happen to a subject more than once; left out for what happens once */
export function logEntry(entry: Omit<LogRow, '_id'>, change?: string): LogRow {
	const parts = [entry.event, entry.subject, ...(change === undefined ? [] : [change])];
	return { _id: parts.join(':'), ...entry };
}

/** What operators see of an entry. */
export function toLogEntry({ _id, account_id, by, ...shown }: LogRow): LogEntry {
	return { id: _id, account_id: account_id === EVERY_ACCOUNT ? null : account_id, ...shown, by: by ?? null };
}

/** Refuses every change of what was written (promise A3). */
function appendOnly(schema: Schema): void {
	const changes = ['updateOne', 'updateMany', 'replaceOne', 'deleteOne', 'deleteMany'] as const;
	const finds = ['findOneAndUpdate', 'findOneAndDelete', 'findOneAndReplace'] as const;
	schema.pre([...changes, ...finds], { query: true, document: false }, () => {
		throw new Error('the operator log is append-only');
	});
}

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
