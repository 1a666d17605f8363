import type { Scope } from '../../shared/actions.ts';
import { createApiKey, hashApiKey } from '../../shared/api-key.ts';
import { type Clock, timestamp } from '../../shared/clock.ts';
import type { AccountsStore } from './accounts-store.ts';
import { addAccounts, newKey } from './add-accounts.ts';

/**
 * Creates a key of an account.
 * @param given `expires_at`: ISO 8601 UTC with milliseconds; null: never
 * @returns the key itself, to be shown once, and its id
 */
export async function createKey(
	store: AccountsStore,
	clock: Clock,
	given: { account_id: string; name: string; scopes: Scope[]; expires_at: string | null },
): Promise<{ key_id: string; api_key: string }> {
	const apiKey = createApiKey();
	const key = newKey({ ...given, hash: hashApiKey(apiKey), now: timestamp(clock.now()) });
	await addAccounts(store, { keys: [key] }, 'operator');
	return { key_id: key._id, api_key: apiKey };
}
