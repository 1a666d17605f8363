import { type Connection, type Model, Schema } from 'mongoose';
import { accountScope } from '../../shared/store/account-scope.ts';
import { schemaOptions } from '../../shared/store/schema-options.ts';

export type AuditEvent = 'account.created' | 'key.created' | 'key.revoked';
export type Actor = 'bootstrap' | 'operator';

/**
 * One line of the audit log. It is written before the change that it tells of: an entry may stand for a change that
 * failed, but there is no change without an entry.
 */
export interface AuditRow {
	/** `<event>:<subject>`: each of these happens to a subject once, so racers and retries write one entry */
	_id: string;
	account_id: string;
	at: string;
	event: AuditEvent;
	/** Id of the account or key that it happened to */
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
auditSchema.index({ account_id: 1, at: 1 });
auditSchema.plugin(accountScope);
auditSchema.plugin(appendOnly);

export function auditModel(connection: Connection): Model<AuditRow> {
	return connection.model<AuditRow>('AuditEntry', auditSchema, 'audit_log');
}

export function auditEntry(entry: Omit<AuditRow, '_id'>): AuditRow {
	return { _id: `${entry.event}:${entry.subject}`, ...entry };
}

/** Refuses every change of what was written (musts A3). */
function appendOnly(schema: Schema): void {
	const changes = ['updateOne', 'updateMany', 'replaceOne', 'deleteOne', 'deleteMany'] as const;
	const finds = ['findOneAndUpdate', 'findOneAndDelete', 'findOneAndReplace'] as const;
	schema.pre([...changes, ...finds], { query: true, document: false }, () => {
		throw new Error('the audit log is append-only');
	});
}
