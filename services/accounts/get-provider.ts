import type { Provider } from '../../shared/contract/schemas/provider.ts';
import { toProvider, toRole } from './account.model.ts';
import type { AccountsStore } from './accounts-store.ts';
import { toPackage } from './plan.model.ts';

/** The account as the API shows it, with its role and its plan. */
export async function getProvider(store: AccountsStore, account_id: string): Promise<Provider> {
	const account = await store.account(account_id);
	if (!account) throw new Error(`no account ${account_id}`);
	const [role, plan] = await Promise.all([store.role(account), store.plan(account)]);
	return toProvider(account, toRole(role), toPackage(plan));
}
