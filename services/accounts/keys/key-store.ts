import type { Connection, Model } from 'mongoose';
import type { KeyReport } from '../../../shared/contract/account-reports.ts';
import type { Scope } from '../../../shared/contract/actions.ts';
import { insertNew } from '../../../shared/store/insert-new.ts';
import { modelOf, text } from '../../../shared/store/model.ts';

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

export const keyModel = modelOf<KeyRow>('ApiKey', 'api_keys', {
	fields: {
		_id: text,
		account_id: text,
		hash: text,
		name: text,
		scopes: { type: [String], required: true },
		expires_at: { type: String, default: null },
		revoked_at: { type: String, default: null },
		last_used_at: { type: String, default: null },
		replaced_by: { type: String, default: null },
		created_at: text,
	},
	unique: { hash_1: { hash: 1 } },
	indexes: { account_id_1__id_1: { account_id: 1, _id: 1 } },
});

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

/**
 * Every read and write of API keys. Whose a key is, is often what is to be found out: those reads are the named exceptions
 * of promise A5.
 */
export class KeyStore {
	readonly model: Model<KeyRow>;

	constructor(connection: Connection) {
		this.model = keyModel(connection);
	}

	/** @param hash SHA-256 of the key, hex */
	byHash(hash: string): Promise<KeyRow | null> {
		return this.model.findOne({ hash }, {}, { everyAccount: true }).lean<KeyRow>();
	}

	byId(key_id: string): Promise<KeyRow | null> {
		return this.model.findOne({ _id: key_id }, {}, { everyAccount: true }).lean<KeyRow>();
	}

	/** Which of these hashes are those of keys. */
	async known(hashes: string[]): Promise<Set<string>> {
		const found = await this.model.find({ hash: { $in: hashes } }, { hash: 1 }, { everyAccount: true }).lean();
		return new Set(found.map(({ hash }) => hash));
	}

	/** The first ids of all there are, whatever account has them. */
	async firstIds(limit: number): Promise<string[]> {
		const found = await this.model.find({}, { _id: 1 }, { everyAccount: true }).sort({ _id: 1 }).limit(limit).lean();
		return found.map(({ _id }) => _id);
	}

	/** An account's keys by id. @param after the last id before these */
	list(account_id: string, after: string, limit: number): Promise<KeyRow[]> {
		const query = this.model.find({ account_id, _id: { $gt: after } });
		return query.sort({ _id: 1 }).limit(limit).lean<KeyRow[]>();
	}

	add(keys: KeyRow[]): Promise<void> {
		return insertNew(this.model, keys);
	}

	/** Writes when the key was used, unless that was written since the key was read. */
	async used({ _id, account_id, last_used_at }: KeyRow, at: string): Promise<void> {
		await this.model.updateOne({ _id, account_id, last_used_at }, { $set: { last_used_at: at } });
	}

	/** Revokes the key, unless it is revoked. */
	async revoke({ _id, account_id }: KeyRow, revoked_at: string): Promise<void> {
		await this.model.updateOne({ _id, account_id, revoked_at: null }, { $set: { revoked_at } });
	}

	/** @returns false where the key was rolled or revoked meanwhile */
	async replace({ _id, account_id }: KeyRow, changes: { replaced_by: string; expires_at: string }): Promise<boolean> {
		const asRead = { _id, account_id, revoked_at: null, replaced_by: null };
		return (await this.model.updateOne(asRead, { $set: changes })).matchedCount === 1;
	}
}
