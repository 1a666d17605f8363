import type { AccountReport, Page } from '../../../shared/contract/account-reports.ts';
import { type AccountRow, toAccountReport } from '../account.model.ts';
import type { AccountsStore } from '../accounts-store.ts';
import type { PackageRow } from '../plans/plan.model.ts';

const PAGE = 500;

/**
 * Accounts by id.
 * @param after the last id of the page before
 */
export async function listAccounts(store: AccountsStore, after = ''): Promise<Page<AccountReport, string>> {
	const packages = await store.packages.find().lean<PackageRow[]>();
	const names = new Map(packages.map(({ _id, name }) => [_id, name]));
	const found = await store.accounts
		.find({ _id: { $gt: after } })
		.sort({ _id: 1 })
		.limit(PAGE)
		.lean<AccountRow[]>();
	const rows = found.map((account) => toAccountReport(account, names.get(account.package_id)!));
	return { rows, next: found.length === PAGE ? found.at(-1)!._id : null };
}
