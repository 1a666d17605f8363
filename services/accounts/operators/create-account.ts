import type { AccountReport } from '../../../shared/contract/account-reports.ts';
import { isRefused, type Refused } from '../../../shared/contract/refused.ts';
import { type Clock, timestamp } from '../../../shared/engine/clock.ts';
import { randomBase62 } from '../../../shared/engine/ids.ts';
import { toAccountReport } from '../account.model.ts';
import type { AccountsStore } from '../accounts-store.ts';
import { addAccounts, newAccount } from '../add-accounts.ts';
import { findPackage } from '../plans/find-package.ts';

/** Creates an account on a plan. */
export async function createAccount(
	store: AccountsStore,
	clock: Clock,
	given: { name: string; email: string | null; package: string },
): Promise<AccountReport | Refused> {
	const plan = await findPackage(store, given.package);
	if (isRefused(plan)) return plan;
	const account = newAccount({
		_id: `acc_${randomBase62(20)}`,
		name: given.name,
		email: given.email,
		package: plan,
		now: timestamp(clock.now()),
	});
	await addAccounts(store, { accounts: [account] }, 'operator');
	return toAccountReport(account, plan.name);
}
