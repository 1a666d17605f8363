import { type Connection, type Model, Schema } from 'mongoose';
import type { AuditEvent, LogEntry } from '../../../shared/contract/account-reports.ts';
import { accountScope } from '../../../shared/store/account-scope.ts';
import { schemaOptions } from '../../../shared/store/schema-options.ts';

export type Actor = LogEntry['actor'];

/** In place of an account in an entry that is about all of them, such as a changed plan. */
export const EVERY_ACCOUNT = '*';

/**
 * One line of the audit log. It is written before the change that it tells of: an entry may stand for a change that
 * failed, but there is no change without an entry.
 */
export interface AuditRow {
	/** `<event>:<subject>[:<occurrence>]`: racers and retries of one thing write one entry */
	_id: string;
	account_id: string;
	at: string;
	event: AuditEvent;
	/** Id of the account or key, or name of the package, that it happened to */
	subject: string;
	actor: Actor;
	/** What a reader wants to know beside it; never a key, never a person's data */
	details: Record<string, unknown>;
}

const auditSchema = new Schema<AuditRow>(
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
auditSchema.index({ account_id: 1, at: 1, _id: 1 });
auditSchema.index({ at: 1, _id: 1 });
auditSchema.plugin(accountScope);
auditSchema.plugin(appendOnly);

export function auditModel(connection: Connection): Model<AuditRow> {
	return connection.model<AuditRow>('AuditEntry', auditSchema, 'audit_log');
}

/** @param occurrence tells apart what can happen to a subject more than once; left out for what happens once */
export function auditEntry(entry: Omit<AuditRow, '_id'>, occurrence?: string): AuditRow {
	const parts = [entry.event, entry.subject, ...(occurrence === undefined ? [] : [occurrence])];
	return { _id: parts.join(':'), ...entry };
}

/** What operators see of an entry. */
export function toLogEntry({ _id, account_id, ...shown }: AuditRow): LogEntry {
	return { id: _id, account_id: account_id === EVERY_ACCOUNT ? null : account_id, ...shown };
}

/** Refuses every change of what was written (promise A3). */
function appendOnly(schema: Schema): void {
	const changes = ['updateOne', 'updateMany', 'replaceOne', 'deleteOne', 'deleteMany'] as const;
	const finds = ['findOneAndUpdate', 'findOneAndDelete', 'findOneAndReplace'] as const;
	schema.pre([...changes, ...finds], { query: true, document: false }, () => {
		throw new Error('the audit log is append-only');
	});
}
