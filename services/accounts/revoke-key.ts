import { type Clock, timestamp } from '../../shared/clock.ts';
import type { AccountsStore } from './accounts-store.ts';
import { auditEntry } from './audit-entry.model.ts';
import { insertNew } from './insert-new.ts';
import type { KeyRow } from './key.model.ts';

/**
 * Revokes a key, for good. Gateways forget it within 5 s (musts A3).
 * @returns false where there is no such key; true also where it had been revoked before
 */
export async function revokeKey(store: AccountsStore, clock: Clock, key_id: string): Promise<boolean> {
	// An operator names a key by its id alone: whose it is comes from the key.
	const key = await store.keys.findOne({ _id: key_id }, {}, { everyAccount: true }).lean<KeyRow>();
	if (!key) return false;
	const { account_id } = key;
	const at = timestamp(clock.now());
	await insertNew(store.audit, [
		auditEntry({ account_id, at, event: 'key.revoked', subject: key_id, actor: 'operator', details: {} }),
	]);
	await store.keys.updateOne({ _id: key_id, account_id, revoked_at: null }, { $set: { revoked_at: at } });
	return true;
}
