import type { Connection, Model } from 'mongoose';
import { insertNew } from '../insert-new.ts';
import { type KeyRow, keyModel } from './key.model.ts';

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
		const found = await this.model
			.find({ hash: { $in: hashes } }, { hash: 1 }, { everyAccount: true })
			.lean<Pick<KeyRow, 'hash'>[]>();
		return new Set(found.map(({ hash }) => hash));
	}

	/** Whether no account has a key. */
	async isEmpty(): Promise<boolean> {
		return (await this.model.exists({}).setOptions({ everyAccount: true })) === null;
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
