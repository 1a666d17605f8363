import { createHash } from 'node:crypto';
import type { Scope } from '../../shared/contract/actions.ts';
import type { AccountRow } from './account.model.ts';
import type { AccountsStore } from './accounts-store.ts';
import type { KeyRow } from './keys/key-store.ts';
import { logEntry, type Who } from './operators/operator-log.ts';
import type { PlanRow } from './plan.model.ts';
import { PROVIDER_ROLE } from './seed-plans.ts';

export const ALL_SCOPES: Scope[] = ['read', 'write'];

/**
 * Adds accounts and keys: first their entries in the operator log, last the keys, so that a key which is there has its
 * account. What is there already stays as it is, so racers and retries may add the same ones.
 */
export async function addAccounts(
	store: AccountsStore,
	{ accounts = [], keys = [] }: { accounts?: AccountRow[]; keys?: KeyRow[] },
	who: Who,
): Promise<void> {
	const ofAccounts = accounts.map(({ _id, created_at, package_id }) => {
		const entry = { account_id: _id, at: created_at, event: 'account.created', subject: _id, ...who } as const;
		return logEntry({ ...entry, details: { package_id } });
	});
	const ofKeys = keys.map(({ _id, account_id, created_at, scopes, expires_at }) => {
		const entry = { account_id, at: created_at, event: 'key.created', subject: _id, ...who } as const;
		return logEntry({ ...entry, details: { scopes, expires_at } });
	});
	await store.log.append(...ofAccounts, ...ofKeys);
	await store.addAccounts(accounts);
	await store.keys.add(keys);
}

/** A new account with the role of a provider. */
export function newAccount(
	given: Pick<AccountRow, '_id' | 'name' | 'email'> & { plan: PlanRow; now: string },
): AccountRow {
	return {
		_id: given._id,
		name: given.name,
		email: given.email,
		phone: null,
		avatar: null,
		is_verified: false,
		role_id: PROVIDER_ROLE,
		package_id: given.plan._id,
		payment_customer_id: null,
		subscription_status: 'active',
		suspended_at: null,
		created_at: given.now,
		updated_at: given.now,
	};
}

/** A new key, by its hash. */
export function newKey(
	given: Pick<KeyRow, 'account_id' | 'hash' | 'name' | 'scopes' | 'expires_at'> & { now: string },
): KeyRow {
	return {
		_id: derivedId('key', given.hash),
		account_id: given.account_id,
		hash: given.hash,
		name: given.name,
		scopes: given.scopes,
		expires_at: given.expires_at,
		revoked_at: null,
		last_used_at: null,
		replaced_by: null,
		created_at: given.now,
	};
}

/**
 * An id that follows from a key's hash and tells nothing about it, so that processes which add the same key at the same
 * moment add the same documents.
 */
export function derivedId(prefix: 'acc' | 'key', hash: string): string {
	return `${prefix}_${createHash('sha256').update(`${prefix}:${hash}`).digest('hex').slice(0, 20)}`;
}
