import type { Refused } from '../../shared/contract/refused.ts';
import type { AccountRow } from './account.model.ts';
import type { AccountsStore } from './accounts-store.ts';
import type { PackageRow } from './plans/plan.model.ts';

/** An account with its plan, for an operator who may have mistyped its id. */
export async function findAccount(
	store: AccountsStore,
	account_id: string,
): Promise<{ account: AccountRow; plan: PackageRow } | Refused> {
	const account = await store.accounts.findOne({ _id: account_id }).lean<AccountRow>();
	if (!account) return { refused: `There is no account ${account_id}.` };
	const plan = await store.packages.findOne({ _id: account.package_id }).lean<PackageRow>();
	if (!plan) throw new Error(`account ${account_id} has no package`);
	return { account, plan };
}
