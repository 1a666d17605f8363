import type { KeyReport } from '../../../shared/contract/account-reports.ts';
import type { Scope } from '../../../shared/contract/actions.ts';
import { isRefused, type Refused } from '../../../shared/contract/refused.ts';
import { type Clock, timestamp } from '../../../shared/engine/clock.ts';
import type { AccountsStore } from '../accounts-store.ts';
import { addAccounts, newKey } from '../add-accounts.ts';
import { findAccount } from '../find-account.ts';
import { toKeyReport } from './key.model.ts';

/**
 * Adds a key to an account. The key itself is made by whoever shows it, so that it crosses no bus.
 * @param given `hash`: its SHA-256, hex; `expires_in`: ms, null for never
 */
export async function createKey(
	store: AccountsStore,
	clock: Clock,
	given: { account_id: string; hash: string; name: string; scopes: Scope[]; expires_in: number | null },
): Promise<KeyReport | Refused> {
	const { expires_in, ...rest } = given;
	const found = await findAccount(store, given.account_id);
	if (isRefused(found)) return found;
	const now = clock.now();
	const expires_at = expires_in === null ? null : timestamp(now + expires_in);
	const key = newKey({ ...rest, expires_at, now: timestamp(now) });
	await addAccounts(store, { keys: [key] }, 'operator');
	return toKeyReport(key, now);
}
