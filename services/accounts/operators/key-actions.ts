import type { KeyReport, Page } from '../../../shared/contract/account-reports.ts';
import type { Scope } from '../../../shared/contract/actions.ts';
import { isRefused, type Refused } from '../../../shared/contract/refused.ts';
import { type Clock, timestamp } from '../../../shared/engine/clock.ts';
import type { AccountsStore } from '../accounts-store.ts';
import { addAccounts, newKey } from '../add-accounts.ts';
import { hasExpired, type KeyRow, toKeyReport } from '../keys/key-store.ts';
import { findAccount } from './account-actions.ts';
import { AN_OPERATOR, logEntry, type Who } from './operator-log.ts';

/** Keys of a page: below 512 KiB */
const PAGE = 500;

/** `hash`: SHA-256 of the key, hex */
type WhichKey = { key_id: string } | { hash: string };

/**
 * An account's keys by id, also those that do not work any more.
 * @param after the last id of the page before
 */
export async function listKeys(
	store: AccountsStore,
	clock: Clock,
	account_id: string,
	after = '',
): Promise<Page<KeyReport, string> | Refused> {
	const account = await findAccount(store, account_id);
	if (isRefused(account)) return account;
	const found = await store.keys.list(account_id, after, PAGE);
	const rows = found.map((key) => toKeyReport(key, clock.now()));
	return { rows, next: found.length === PAGE ? found.at(-1)!._id : null };
}

/**
 * Adds a key to an account. The key itself is made by whoever shows it, so that it crosses no bus.
 * @param given `hash`: its SHA-256, hex; `expires_in`: ms, null for never
 */
export async function createKey(
	store: AccountsStore,
	clock: Clock,
	given: { account_id: string; hash: string; name: string; scopes: Scope[]; expires_in: number | null },
	who: Who = AN_OPERATOR,
): Promise<KeyReport | Refused> {
	const { expires_in, ...rest } = given;
	const found = await findAccount(store, given.account_id);
	if (isRefused(found)) return found;
	const now = clock.now();
	const expires_at = expires_in === null ? null : timestamp(now + expires_in);
	const key = newKey({ ...rest, expires_at, now: timestamp(now) });
	await addAccounts(store, { keys: [key] }, who);
	return toKeyReport(key, now);
}

/** Revokes a key, for good. Gateways forget it within 5 s (promise A3). A key that was revoked before stays as it is. */
export async function revokeKey(
	store: AccountsStore,
	clock: Clock,
	which: WhichKey,
	who: Who = AN_OPERATOR,
): Promise<KeyReport | Refused> {
	const key = await findKey(store, which);
	if (isRefused(key)) return key;
	const now = clock.now();
	if (key.revoked_at !== null) return toKeyReport(key, now);
	const { _id: key_id, account_id } = key;
	const revoked_at = timestamp(now);
	const entry = { account_id, at: revoked_at, event: 'key.revoked', subject: key_id, ...who } as const;
	await store.log.append(logEntry({ ...entry, details: {} }));
	await store.keys.revoke(key, revoked_at);
	return toKeyReport({ ...key, revoked_at }, now);
}

/**
 * Replaces a key. The new one takes its name, its scopes and the length of its life. The old one works until the overlap is
 * over, or until its own end where that is earlier.
 * @param given `hash`: SHA-256 of the new key, hex; `overlap`: ms
 */
export async function rollKey(
	store: AccountsStore,
	clock: Clock,
	given: { key_id: string; hash: string; overlap: number },
	who: Who = AN_OPERATOR,
): Promise<{ old: KeyReport; new: KeyReport } | Refused> {
	const old = await findKey(store, { key_id: given.key_id });
	if (isRefused(old)) return old;
	const now = clock.now();
	const reason = whyNot(old, now);
	if (reason !== undefined) return { refused: `Key ${old._id} cannot be rolled: ${reason}.` };

	const successor = newKey({ ...old, hash: given.hash, expires_at: sameLife(old, now), now: timestamp(now) });
	const { _id, account_id } = old;
	const changes = { expires_at: overlapEnd(old, now + given.overlap), replaced_by: successor._id };
	const entry = { account_id, at: timestamp(now), event: 'key.rolled', subject: _id, ...who } as const;
	await store.log.append(logEntry({ ...entry, details: changes }, successor._id));
	await addAccounts(store, { keys: [successor] }, who);
	if (!(await store.keys.replace(old, changes))) {
		await revokeKey(store, clock, { key_id: successor._id }, who);
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

/** A key by its id or hash alone: the account that it belongs to comes from the key. */
async function findKey({ keys }: AccountsStore, which: WhichKey): Promise<KeyRow | Refused> {
	if ('hash' in which) return (await keys.byHash(which.hash)) ?? { refused: 'There is no such key.' };
	return (await keys.byId(which.key_id)) ?? { refused: `There is no key ${which.key_id}.` };
}
