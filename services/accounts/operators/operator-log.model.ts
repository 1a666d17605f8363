import { type Connection, type Model, Schema } from 'mongoose';
import type { LogEntry, LogEvent } from '../../../shared/contract/account-reports.ts';
import { accountScope } from '../../../shared/store/account-scope.ts';
import { schemaOptions } from '../../../shared/store/schema-options.ts';

export type Actor = LogEntry['actor'];

/** In place of an account in an entry that is about all of them, such as a changed plan. */
export const EVERY_ACCOUNT = '*';

/**
 * One line of the operator log, in the collection `audit_log`. It is written before the change that it tells of: an entry
 * may stand for a change that failed, but there is no change without an entry.
 */
export interface LogRow {
	/** `<event>:<subject>[:<change>]`: racers and retries of one thing write one entry */
	_id: string;
	account_id: string;
	at: string;
	event: LogEvent;
	/** Id of the account or key, or name of the plan, that it happened to */
	subject: string;
	actor: Actor;
	/** What a reader wants to know beside it; never a key, never a person's data */
	details: Record<string, unknown>;
}

const logSchema = new Schema<LogRow>(
	{
		_id: { type: String, required: true },
		account_id: { type: String, required: true },
		at: { type: String, required: true },
		event: { type: String, required: true },
		subject: { type: String, required: true },
		actor: { type: String, required: true },
		details: { type: Schema.Types.Mixed, required: true },
	},
	schemaOptions,
);
logSchema.index({ account_id: 1, at: 1, _id: 1 });
logSchema.index({ at: 1, _id: 1 });
logSchema.plugin(accountScope);
logSchema.plugin(appendOnly);

export function logModel(connection: Connection): Model<LogRow> {
	return connection.model<LogRow>('AuditEntry', logSchema, 'audit_log');
}

/** @param change tells apart what can happen to a subject more than once; left out for what happens once */
export function logEntry(entry: Omit<LogRow, '_id'>, change?: string): LogRow {
	const parts = [entry.event, entry.subject, ...(change === undefined ? [] : [change])];
	return { _id: parts.join(':'), ...entry };
}

/** What operators see of an entry. */
export function toLogEntry({ _id, account_id, ...shown }: LogRow): LogEntry {
	return { id: _id, account_id: account_id === EVERY_ACCOUNT ? null : account_id, ...shown };
}

/** Refuses every change of what was written (promise A3). */
function appendOnly(schema: Schema): void {
	const changes = ['updateOne', 'updateMany', 'replaceOne', 'deleteOne', 'deleteMany'] as const;
	const finds = ['findOneAndUpdate', 'findOneAndDelete', 'findOneAndReplace'] as const;
	schema.pre([...changes, ...finds], { query: true, document: false }, () => {
		throw new Error('the operator log is append-only');
	});
}
