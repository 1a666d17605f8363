import type { KeyReport } from '../../../shared/contract/account-reports.ts';
import { isRefused, type Refused } from '../../../shared/contract/refused.ts';
import { type Clock, timestamp } from '../../../shared/engine/clock.ts';
import type { AccountsStore } from '../accounts-store.ts';
import { addAccounts, newKey } from '../add-accounts.ts';
import { insertNew } from '../insert-new.ts';
import { findKey } from '../keys/find-key.ts';
import { hasExpired, type KeyRow, toKeyReport } from '../keys/key.model.ts';
import { revokeKey } from '../keys/revoke-key.ts';
import { auditEntry } from './operator-log.model.ts';

/**
 * Replaces a key: the new one takes its name, its scopes and the length of its life; the old one works until the overlap
 * is over, or until its own end where that is earlier.
 * @param given `hash`: SHA-256 of the new key, hex; `overlap`: ms
 */
export async function rollKey(
	store: AccountsStore,
	clock: Clock,
	given: { key_id: string; hash: string; overlap: number },
): Promise<{ old: KeyReport; new: KeyReport } | Refused> {
	const old = await findKey(store, { key_id: given.key_id });
	if (isRefused(old)) return old;
	const now = clock.now();
	const reason = whyNot(old, now);
	if (reason !== undefined) return { refused: `Key ${old._id} cannot be rolled: ${reason}.` };

	const successor = newKey({ ...old, hash: given.hash, expires_at: sameLife(old, now), now: timestamp(now) });
	const { _id, account_id } = old;
	const changes = { expires_at: overlapEnd(old, now + given.overlap), replaced_by: successor._id };
	const entry = { account_id, at: timestamp(now), event: 'key.rolled', subject: _id, actor: 'operator' } as const;
	await insertNew(store.audit, [auditEntry({ ...entry, details: changes }, successor._id)]);
	await addAccounts(store, { keys: [successor] }, 'operator');
	const { matchedCount } = await store.keys.updateOne(
		{ _id, account_id, revoked_at: null, replaced_by: null },
		{ $set: changes },
	);
	if (matchedCount === 0) {
		await revokeKey(store, clock, { key_id: successor._id });
		return { refused: `Key ${_id} was rolled or revoked at this moment; the new key ${successor._id} is revoked.` };
	}
	return { old: toKeyReport({ ...old, ...changes }, now), new: toKeyReport(successor, now) };
}

function whyNot(key: KeyRow, now: number): string | undefined {
	if (key.revoked_at !== null) return 'it is revoked';
	if (key.replaced_by) return `it was rolled to ${key.replaced_by}`;
	return hasExpired(key, now) ? 'it has expired' : undefined;
}

/** A key that was made for 90 days is followed by one for 90 days. */
function sameLife({ created_at, expires_at }: KeyRow, now: number): string | null {
	return expires_at === null ? null : timestamp(now + Date.parse(expires_at) - Date.parse(created_at));
}

function overlapEnd({ expires_at }: KeyRow, end: number): string {
	return timestamp(expires_at === null ? end : Math.min(end, Date.parse(expires_at)));
}
