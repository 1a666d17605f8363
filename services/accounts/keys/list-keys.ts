import type { KeyReport, Page } from '../../../shared/contract/account-reports.ts';
import { isRefused, type Refused } from '../../../shared/contract/refused.ts';
import type { Clock } from '../../../shared/engine/clock.ts';
import type { AccountsStore } from '../accounts-store.ts';
import { findAccount } from '../find-account.ts';
import { type KeyRow, toKeyReport } from './key.model.ts';

const PAGE = 500;

/**
 * An account's keys by id, those that work no more too.
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
	const found = await store.keys
		.find({ account_id, _id: { $gt: after } })
		.sort({ _id: 1 })
		.limit(PAGE)
		.lean<KeyRow[]>();
	const rows = found.map((key) => toKeyReport(key, clock.now()));
	return { rows, next: found.length === PAGE ? found.at(-1)!._id : null };
}
