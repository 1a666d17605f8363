import { call } from '../../shared/bus/call.ts';
import type { AccountUsage } from '../../shared/contract/schemas/usage.ts';
import { accountId, month } from '../line/arguments.ts';
import { command, UsageError } from '../line/command.ts';
import { table } from '../tables.ts';

export const usage = command({
	name: 'usage',
	summary: 'what was used of the plan, in this month or an earlier one',
	parameters: { account: { meaning: 'Id of the account', parse: accountId } },
	options: { month: { placeholder: 'YYYY-MM', meaning: 'A UTC month; the current one without it', parse: month } },
	needs: ['accounts', 'catalog'],
	async run(broker, { account: account_id, month: asked }) {
		const params = { account_id, ...(asked !== undefined && { month: asked }) };
		const data = await call(broker, 'accounts.usage', params);
		if (data === null) throw new UsageError(`There is no account ${account_id}.`);
		return { data, text: textOf(account_id, data) };
	},
});

function textOf(account_id: string, usage: AccountUsage): string {
	const { month, resets_at, requests, bookings, services, overages_enabled } = usage;
	const monthly = (name: string, { used, limit, remaining, overage, projected }: AccountUsage['requests']) => [
		...[name, used, limit ?? 'none', remaining ?? '', overage, projected ?? 'too early'],
	];
	return [
		`Account ${account_id} in ${month}, which ends at ${resets_at}`,
		`package ${usage.package}, ${overages_enabled ? 'with' : 'without'} overages, as it is now`,
		'',
		table(
			['', 'used', 'limit', 'left', 'overage', 'at the end'],
			[
				monthly('requests', requests),
				monthly('bookings', bookings),
				['services now', services.used, services.limit ?? 'none', services.remaining ?? '', '', ''],
			],
		),
	].join('\n');
}
