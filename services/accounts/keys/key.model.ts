import { type Connection, type Model, Schema } from 'mongoose';
import type { KeyReport } from '../../../shared/contract/account-reports.ts';
import type { Scope } from '../../../shared/contract/actions.ts';
import { accountScope } from '../../../shared/store/account-scope.ts';
import { schemaOptions } from '../../../shared/store/schema-options.ts';

/** An API key. The key itself is stored nowhere (promise A2). A row is never removed, so a revoked key stays revoked. */
export interface KeyRow {
	/** `key_…` */
	_id: string;
	account_id: string;
	/** SHA-256 of the key, hex */
	hash: string;
	name: string;
	scopes: Scope[];
	/** ISO 8601 UTC, like all times here; null: never */
	expires_at: string | null;
	revoked_at: string | null;
	/** Up to a minute behind */
	last_used_at: string | null;
	/** The key that it was rolled to */
	replaced_by: string | null;
	created_at: string;
}

const keySchema = new Schema<KeyRow>(
	{
		_id: { type: String, required: true },
		account_id: { type: String, required: true },
		hash: { type: String, required: true },
		name: { type: String, required: true },
		scopes: { type: [String], required: true },
		expires_at: { type: String, default: null },
		revoked_at: { type: String, default: null },
		last_used_at: { type: String, default: null },
		replaced_by: { type: String, default: null },
		created_at: { type: String, required: true },
	},
	schemaOptions,
);
keySchema.index({ hash: 1 }, { unique: true });
keySchema.index({ account_id: 1, _id: 1 });
keySchema.plugin(accountScope);

export function keyModel(connection: Connection): Model<KeyRow> {
	return connection.model<KeyRow>('ApiKey', keySchema, 'api_keys');
}

/** @param now ms since the epoch; a key works until the last millisecond before `expires_at` */
export function hasExpired({ expires_at }: KeyRow, now: number): boolean {
	return expires_at !== null && Date.parse(expires_at) <= now;
}

/** What operators see of a key. @param now ms since the epoch */
export function toKeyReport(key: KeyRow, now: number): KeyReport {
	return {
		id: key._id,
		account_id: key.account_id,
		name: key.name,
		scopes: key.scopes,
		state: key.revoked_at !== null ? 'revoked' : hasExpired(key, now) ? 'expired' : 'active',
		expires_at: key.expires_at,
		revoked_at: key.revoked_at,
		last_used_at: key.last_used_at,
		replaced_by: key.replaced_by ?? null, // missing in rows that are older than rolling
		created_at: key.created_at,
	};
}
