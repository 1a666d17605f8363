import type { AccountReport } from '../../shared/contract/account-reports.ts';

/** An account in a few lines. */
export function accountText(account: AccountReport): string {
	const { id, name, email, suspended_at, subscription_status, created_at, updated_at } = account;
	return [
		`Account ${id}: ${name}${email === null ? '' : `, ${email}`}`,
		`package ${account.package}, subscription ${subscription_status}`,
		suspended_at === null ? 'not suspended' : `suspended since ${suspended_at}: its keys are refused`,
		`created ${created_at}, changed ${updated_at}`,
	].join('\n');
}
