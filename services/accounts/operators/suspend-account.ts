import type { AccountReport } from '../../../shared/contract/account-reports.ts';
import { isRefused, type Refused } from '../../../shared/contract/refused.ts';
import { type Clock, timestamp } from '../../../shared/engine/clock.ts';
import { randomBase62 } from '../../../shared/engine/ids.ts';
import { toAccountReport } from '../account.model.ts';
import type { AccountsStore } from '../accounts-store.ts';
import { findAccount } from '../find-account.ts';
import { insertNew } from '../insert-new.ts';
import { changeAsRead } from './change-as-read.ts';
import { auditEntry } from './operator-log.model.ts';

/** Suspends an account, or resumes it: its keys are refused while it is suspended. One that is so already stays as it is. */
export async function suspendAccount(
	store: AccountsStore,
	clock: Clock,
	account_id: string,
	suspended: boolean,
): Promise<AccountReport | Refused> {
	const occurrence = randomBase62(12);
	for (;;) {
		const found = await findAccount(store, account_id);
		if (isRefused(found)) return found;
		const { account, plan } = found;
		if ((account.suspended_at !== null) === suspended) return toAccountReport(account, plan.name);
		const at = timestamp(clock.now());
		const event = suspended ? 'account.suspended' : 'account.resumed';
		const entry = { account_id, at, event, subject: account_id, actor: 'operator', details: {} } as const;
		await insertNew(store.audit, [auditEntry(entry, occurrence)]);
		const changes = { suspended_at: suspended ? at : null, updated_at: at };
		if (await changeAsRead(store.accounts, account, changes))
			return toAccountReport({ ...account, ...changes }, plan.name);
	}
}
