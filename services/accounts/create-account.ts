import { type Clock, timestamp } from '../../shared/clock.ts';
import { randomBase62 } from '../../shared/ids.ts';
import type { AccountRow } from './account.model.ts';
import type { AccountsStore } from './accounts-store.ts';
import { addAccounts, newAccount } from './add-accounts.ts';

/** Creates an account on a plan. */
export async function createAccount(
	store: AccountsStore,
	clock: Clock,
	given: { name: string; email: string | null; package: string },
): Promise<AccountRow> {
	const plan = await store.packages.findOne({ name: given.package }).lean<{ _id: number }>();
	if (!plan) throw new Error(`no package "${given.package}"`);
	const account = newAccount({
		_id: `acc_${randomBase62(20)}`,
		name: given.name,
		email: given.email,
		package: plan,
		now: timestamp(clock.now()),
	});
	await addAccounts(store, { accounts: [account] }, 'operator');
	return account;
}
