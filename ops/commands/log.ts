import { call } from '../../shared/bus/call.ts';
import type { LogCursor, LogEntry } from '../../shared/contract/account-reports.ts';
import { accountId, since } from '../line/arguments.ts';
import { allPages, assertKnownAccount, command } from '../line/command.ts';
import { table } from '../tables.ts';

export const log = command({
	name: 'log',
	summary: 'who did what to keys, accounts, plans and stores, and refusals by scope, oldest first',
	parameters: {},
	options: {
		account: { placeholder: 'account', meaning: 'Only of this account; without changes of plans', parse: accountId },
		since: { placeholder: 'time', meaning: 'Such as 24h, 2026-11-21 or 2026-11-21T09:30:00Z', parse: since },
	},
	needs: ['accounts'],
	async run(broker, { account: account_id, since: from }) {
		if (account_id !== undefined) await assertKnownAccount(broker, account_id);
		const asked = { ...(account_id && { account_id }), ...(from && { since: from }) };
		const entries = await allPages((after?: LogCursor) =>
			call(broker, 'accounts.readLog', { ...asked, ...(after && { after }) }),
		);
		return { data: entries, text: textOf(entries) };
	},
});

function textOf(entries: LogEntry[]): string {
	return table(
		['at', 'event', 'account', 'of', 'by', 'details'],
		entries.map(({ at, event, account_id, subject, actor, by, details }) => [
			at,
			event,
			account_id ?? 'all',
			subject,
			by ?? actor,
			detailsText(details),
		]),
	);
}

/** `scopes: read; package: Starter → Growth` */
function detailsText(details: LogEntry['details']): string {
	return Object.entries(details)
		.map(([name, value]) => `${name}: ${valueText(value)}`)
		.join('; ');
}

function valueText(value: unknown): string {
	if (value === null) return 'none';
	if (Array.isArray(value)) return value.join(',');
	if (typeof value !== 'object') return String(value);
	const { from, to } = value as { from?: unknown; to?: unknown };
	return `${valueText(from)} → ${valueText(to)}`;
}
