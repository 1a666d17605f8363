import type { AccountReport, PackageReport } from '../../../shared/contract/account-reports.ts';
import { isRefused, type Refused } from '../../../shared/contract/refused.ts';
import { toAccountReport } from '../account.model.ts';
import type { AccountsStore } from '../accounts-store.ts';
import { findAccount } from '../find-account.ts';
import { toPackageReport } from '../plans/plan.model.ts';

/** An account and its plan. */
export async function showAccount(
	store: AccountsStore,
	account_id: string,
): Promise<{ account: AccountReport; package: PackageReport } | Refused> {
	const found = await findAccount(store, account_id);
	if (isRefused(found)) return found;
	const { account, plan } = found;
	return { account: toAccountReport(account, plan.name), package: toPackageReport(plan) };
}
