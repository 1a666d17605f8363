import type { Provider } from '../../shared/contract/schemas/provider.ts';
import { type AccountRow, toProvider } from './account.model.ts';
import type { AccountsStore } from './accounts-store.ts';
import { type PackageRow, toPackage } from './plans/plan.model.ts';
import { type RoleRow, toRole } from './role.model.ts';

/** The account as the API shows it, with its role and its package. */
export async function getProvider(store: AccountsStore, account_id: string): Promise<Provider> {
	const account = await store.accounts.findOne({ _id: account_id }).lean<AccountRow>();
	if (!account) throw new Error(`no account ${account_id}`);
	const [role, plan] = await Promise.all([
		store.roles.findOne({ _id: account.role_id }).lean<RoleRow>(),
		store.packages.findOne({ _id: account.package_id }).lean<PackageRow>(),
	]);
	if (!role || !plan) throw new Error(`account ${account_id} has no role or no package`);
	return toProvider(account, toRole(role), toPackage(plan));
}
