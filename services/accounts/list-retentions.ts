import type { Page } from '../../shared/contract/account-reports.ts';
import type { AccountsStore } from './accounts-store.ts';

/** Ids of a page: 20 KB */
const PAGE = 500;

/**
 * Accounts that keep their bookings for a time only, by their ids.
 * @param after the last id of the page before
 */
export async function listRetentions(store: AccountsStore, after = ''): Promise<Page<string, string>> {
	const rows = await store.keepingForATime(after, PAGE);
	return { rows, next: rows.length === PAGE ? rows.at(-1)! : null };
}
