import { type Connection, type Model, Schema } from 'mongoose';
import type { Scope } from '../../shared/actions.ts';
import { accountScope } from '../../shared/store/account-scope.ts';
import { schemaOptions } from '../../shared/store/schema-options.ts';

/** An API key. The key itself is stored nowhere (musts A2). A row is never removed, so that a revoked key stays so. */
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
	/** At most a minute behind */
	last_used_at: string | null;
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
		created_at: { type: String, required: true },
	},
	schemaOptions,
);
keySchema.index({ hash: 1 }, { unique: true });
keySchema.plugin(accountScope);

export function keyModel(connection: Connection): Model<KeyRow> {
	return connection.model<KeyRow>('ApiKey', keySchema, 'api_keys');
}
