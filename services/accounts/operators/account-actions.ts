import type { AccountReport } from '../../../shared/contract/account-reports.ts';
import { isRefused, type Refused } from '../../../shared/contract/refused.ts';
import type { SubscriptionStatus } from '../../../shared/contract/schemas/provider.ts';
import { type Clock, timestamp } from '../../../shared/engine/clock.ts';
import { randomBase62 } from '../../../shared/engine/ids.ts';
import { toAccountReport } from '../account.model.ts';
import type { AccountsStore } from '../accounts-store.ts';
import { findAccount } from '../find-account.ts';
import { insertNew } from '../insert-new.ts';
import { findPackage } from '../plans/find-package.ts';
import { changeAsRead } from './change-as-read.ts';
import { auditEntry } from './operator-log.model.ts';

/** Changes an account's plan, its subscription, or both. What is left out stays as it is. */
export async function setAccount(
	store: AccountsStore,
	clock: Clock,
	account_id: string,
	wanted: { package?: string; subscription?: SubscriptionStatus },
): Promise<AccountReport | Refused> {
	const occurrence = randomBase62(12);
	for (;;) {
		const found = await findAccount(store, account_id);
		if (isRefused(found)) return found;
		const { account, plan: before } = found;
		const plan = wanted.package === undefined ? before : await findPackage(store, wanted.package);
		if (isRefused(plan)) return plan;
		const subscription_status = wanted.subscription ?? account.subscription_status;

		const at = timestamp(clock.now());
		const details = {
			...(plan._id === before._id ? {} : { package: { from: before.name, to: plan.name } }),
			...(subscription_status === account.subscription_status
				? {}
				: { subscription: { from: account.subscription_status, to: subscription_status } }),
		};
		if (Object.keys(details).length === 0) return toAccountReport(account, before.name);
		const entry = {
			account_id,
			at,
			event: 'account.changed',
			subject: account_id,
			actor: 'operator',
			details,
		} as const;
		await insertNew(store.audit, [auditEntry(entry, occurrence)]);

		const changes = {
			updated_at: at,
			...(details.package && { package_id: plan._id }),
			...(details.subscription && { subscription_status }),
		};
		if (await changeAsRead(store.accounts, account, changes))
			return toAccountReport({ ...account, ...changes }, plan.name);
	}
}
