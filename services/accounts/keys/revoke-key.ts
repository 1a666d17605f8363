import type { KeyReport } from '../../../shared/contract/account-reports.ts';
import { isRefused, type Refused } from '../../../shared/contract/refused.ts';
import { type Clock, timestamp } from '../../../shared/engine/clock.ts';
import type { AccountsStore } from '../accounts-store.ts';
import { insertNew } from '../insert-new.ts';
import { auditEntry } from '../operators/operator-log.model.ts';
import { findKey } from './find-key.ts';
import { toKeyReport } from './key.model.ts';

/** Revokes a key, for good. Gateways forget it within 5 s (promise A3). One that was revoked before stays as it is. */
export async function revokeKey(
	store: AccountsStore,
	clock: Clock,
	which: { key_id: string } | { hash: string },
): Promise<KeyReport | Refused> {
	const key = await findKey(store, which);
	if (isRefused(key)) return key;
	const now = clock.now();
	if (key.revoked_at !== null) return toKeyReport(key, now);
	const { _id: key_id, account_id } = key;
	const revoked_at = timestamp(now);
	const entry = { account_id, at: revoked_at, event: 'key.revoked', subject: key_id, actor: 'operator' } as const;
	await insertNew(store.audit, [auditEntry({ ...entry, details: {} })]);
	await store.keys.updateOne({ _id: key_id, account_id, revoked_at: null }, { $set: { revoked_at } });
	return toKeyReport({ ...key, revoked_at }, now);
}
