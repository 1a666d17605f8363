import { type Clock, timestamp } from '../../../shared/engine/clock.ts';
import { CannotStart } from '../../../shared/process/cannot-start.ts';
import { createApiKey, hashApiKey } from '../../../shared/secrets/api-key.ts';
import type { AccountsStore } from '../accounts-store.ts';
import { ALL_SCOPES, addAccounts, newAccount, newKey } from '../add-accounts.ts';
import type { KeyRow } from './key.model.ts';

const DEMO_ACCOUNT = 'acc_demo';
const DEMO_KEY = 'key_demo';
const DEMO_PACKAGE = 'Developer';

/**
 * Adds a demo account with a key where the store has no key at all. Of processes that start together one wins, for the
 * key's `_id` is fixed.
 * @returns the key, to be shown once and stored nowhere; undefined where there was one, or where another process won
 */
export async function addDemoKey(store: AccountsStore, clock: Clock): Promise<string | undefined> {
	// Whether there is any key is asked about every account.
	if (await store.keys.exists({}).setOptions({ everyAccount: true })) return undefined;
	const plan = await store.packages.findOne({ name: DEMO_PACKAGE }).lean<{ _id: number }>();
	if (!plan) throw new CannotStart(`There is no package "${DEMO_PACKAGE}" for a demo account; set BOOTSTRAP_KEYS.`);
	const apiKey = createApiKey();
	const hash = hashApiKey(apiKey);
	const now = timestamp(clock.now());
	const account = newAccount({ _id: DEMO_ACCOUNT, name: 'Demo', email: null, package: plan, now });
	const key = newKey({ account_id: DEMO_ACCOUNT, hash, name: 'demo', scopes: ALL_SCOPES, expires_at: null, now });
	await addAccounts(store, { accounts: [account], keys: [{ ...key, _id: DEMO_KEY }] }, 'bootstrap');
	const winner = await store.keys.findOne({ _id: DEMO_KEY, account_id: DEMO_ACCOUNT }).lean<KeyRow>();
	return winner?.hash === hash ? apiKey : undefined;
}
