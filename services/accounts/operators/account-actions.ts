import type { AccountReport, Page, PlanReport } from '../../../shared/contract/account-reports.ts';
import { isRefused, type Refused } from '../../../shared/contract/refused.ts';
import type { SubscriptionStatus } from '../../../shared/contract/schemas/provider.ts';
import { type Clock, timestamp } from '../../../shared/engine/clock.ts';
import { randomBase62 } from '../../../shared/engine/ids.ts';
import { type AccountRow, toAccountReport } from '../account.model.ts';
import type { AccountsStore } from '../accounts-store.ts';
import { addAccounts, newAccount } from '../add-accounts.ts';
import { type PlanRow, toPlanReport } from '../plan.model.ts';
import { AN_OPERATOR, logEntry, type Who } from './operator-log.ts';
import { findPlan } from './plan-actions.ts';

/** Accounts of a page: below 512 KiB */
const PAGE = 500;

/** An account with its plan, for an operator who may have mistyped its id. */
export async function findAccount(
	store: AccountsStore,
	account_id: string,
): Promise<{ account: AccountRow; plan: PlanRow } | Refused> {
	const account = await store.account(account_id);
	if (!account) return { refused: `There is no account ${account_id}.` };
	return { account, plan: await store.plan(account) };
}

/**
 * Accounts by id.
 * @param after the last id of the page before
 */
export async function listAccounts(store: AccountsStore, after = ''): Promise<Page<AccountReport, string>> {
	const plans = await store.allPlans();
	const names = new Map(plans.map(({ _id, name }) => [_id, name]));
	const found = await store.accountsAfter(after, PAGE);
	const rows = found.map((account) => toAccountReport(account, names.get(account.package_id)!));
	return { rows, next: found.length === PAGE ? found.at(-1)!._id : null };
}

/** An account and its plan. */
export async function showAccount(
	store: AccountsStore,
	account_id: string,
): Promise<{ account: AccountReport; package: PlanReport } | Refused> {
	const found = await findAccount(store, account_id);
	if (isRefused(found)) return found;
	const { account, plan } = found;
	return { account: toAccountReport(account, plan.name), package: toPlanReport(plan) };
}

/** Creates an account on a plan. */
export async function createAccount(
	store: AccountsStore,
	clock: Clock,
	given: { name: string; email: string | null; package: string },
	who: Who = AN_OPERATOR,
): Promise<AccountReport | Refused> {
	const plan = await findPlan(store, given.package);
	if (isRefused(plan)) return plan;
	const { name, email } = given;
	const account = newAccount({ _id: `acc_${randomBase62(20)}`, name, email, plan, now: timestamp(clock.now()) });
	await addAccounts(store, { accounts: [account] }, who);
	return toAccountReport(account, plan.name);
}

/** Changes an account's plan, its subscription, or for how long it keeps bookings. What is left out stays as it is. */
export async function setAccount(
	store: AccountsStore,
	clock: Clock,
	account_id: string,
	wanted: { package?: string; subscription?: SubscriptionStatus; retention_days?: number | null },
	who: Who = AN_OPERATOR,
): Promise<AccountReport | Refused> {
	const change = randomBase62(12);
	for (;;) {
		const found = await findAccount(store, account_id);
		if (isRefused(found)) return found;
		const { account, plan: before } = found;
		const plan = wanted.package === undefined ? before : await findPlan(store, wanted.package);
		if (isRefused(plan)) return plan;
		const subscription_status = wanted.subscription ?? account.subscription_status;
		const kept = account.retention_days || null;
		const keeps = wanted.retention_days === undefined ? kept : wanted.retention_days;

		const at = timestamp(clock.now());
		const details = {
			...(plan._id === before._id ? {} : { package: { from: before.name, to: plan.name } }),
			...(subscription_status === account.subscription_status
				? {}
				: { subscription: { from: account.subscription_status, to: subscription_status } }),
			...(keeps === kept ? {} : { retention_days: { from: kept, to: keeps } }),
		};
		if (Object.keys(details).length === 0) return toAccountReport(account, before.name);
		const entry = { account_id, at, event: 'account.changed', subject: account_id, ...who } as const;
		await store.log.append(logEntry({ ...entry, details }, change));

		const changes = {
			updated_at: at,
			...(details.package && { package_id: plan._id }),
			...(details.subscription && { subscription_status }),
			...(details.retention_days && { retention_days: keeps ?? 0 }),
		};
		if (await store.changeAccount(account, changes)) return toAccountReport({ ...account, ...changes }, plan.name);
	}
}

/**
 * Suspends an account, or resumes it: its keys are refused while it is suspended. Where it is so already, it stays as it
 * is.
 */
export async function suspendAccount(
	store: AccountsStore,
	clock: Clock,
	account_id: string,
	suspended: boolean,
	who: Who = AN_OPERATOR,
): Promise<AccountReport | Refused> {
	const change = randomBase62(12);
	for (;;) {
		const found = await findAccount(store, account_id);
		if (isRefused(found)) return found;
		const { account, plan } = found;
		if ((account.suspended_at !== null) === suspended) return toAccountReport(account, plan.name);
		const at = timestamp(clock.now());
		const event = suspended ? 'account.suspended' : 'account.resumed';
		const entry = { account_id, at, event, subject: account_id, ...who, details: {} } as const;
		await store.log.append(logEntry(entry, change));
		const changes = { suspended_at: suspended ? at : null, updated_at: at };
		if (await store.changeAccount(account, changes)) return toAccountReport({ ...account, ...changes }, plan.name);
	}
}
