import { createHash } from 'node:crypto';
import type { Scope } from '../../shared/contract/actions.ts';
import type { AccountRow } from './account.model.ts';
import type { AccountsStore } from './accounts-store.ts';
import { insertNew } from './insert-new.ts';
import type { KeyRow } from './keys/key.model.ts';
import { type Actor, auditEntry } from './operators/operator-log.model.ts';
import type { PackageRow } from './plans/plan.model.ts';
import { PROVIDER_ROLE } from './plans/seed-plans.ts';

export const ALL_SCOPES: Scope[] = ['read', 'write'];

/**
 * Adds accounts and keys, first of all their audit entries, last the keys: a key that is there has its account. What is
 * there already stays as it is, so that racers and retries may add the same ones.
 */
export async function addAccounts(
	store: AccountsStore,
	{ accounts = [], keys = [] }: { accounts?: AccountRow[]; keys?: KeyRow[] },
	actor: Actor,
): Promise<void> {
	await insertNew(store.audit, [
		...accounts.map(({ _id, created_at, package_id }) =>
			auditEntry({
				account_id: _id,
				at: created_at,
				event: 'account.created',
				subject: _id,
				actor,
				details: { package_id },
			}),
		),
		...keys.map(({ _id, account_id, created_at, scopes, expires_at }) =>
			auditEntry({
				account_id,
				at: created_at,
				event: 'key.created',
				subject: _id,
				actor,
				details: { scopes, expires_at },
			}),
		),
	]);
	await insertNew(store.accounts, accounts);
	await insertNew(store.keys, keys);
}

/** A new account with the role of a provider. */
export function newAccount(
	given: Pick<AccountRow, '_id' | 'name' | 'email'> & { package: Pick<PackageRow, '_id'>; now: string },
): AccountRow {
	return {
		_id: given._id,
		name: given.name,
		email: given.email,
		phone: null,
		avatar: null,
		is_verified: false,
		role_id: PROVIDER_ROLE,
		package_id: given.package._id,
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
 * An id that follows from a key's hash and tells nothing about it. Processes that add the same key at the same moment
 * so add the same documents.
 */
export function derivedId(prefix: 'acc' | 'key', hash: string): string {
	return `${prefix}_${createHash('sha256').update(`${prefix}:${hash}`).digest('hex').slice(0, 20)}`;
}
