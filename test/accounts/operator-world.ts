import { allPages } from '../../ops/line/command.ts';
import type { LogCursor, LogEntry } from '../../shared/contract/account-reports.ts';
import { createApiKey, hashApiKey } from '../../shared/secrets/api-key.ts';
import type { AccountsProcess, AccountsWorld } from './accounts-world.ts';

export const MINUTE = 60_000; // ms
export const DAY = 86_400_000;

/** The hash of a key that nobody has yet. */
export function newHash(): string {
	return hashApiKey(createApiKey());
}

/** A world with one service, whose only account is not the test's. */
export async function startService(openWorld: () => Promise<AccountsWorld>) {
	const world = await openWorld();
	return { world, accounts: await world.start(`${createApiKey()}:Unlimited`) };
}

/** The whole log, as operators see it. */
export function readLog(
	accounts: AccountsProcess,
	asked: { account_id?: string; since?: string } = {},
): Promise<LogEntry[]> {
	return allPages((after?: LogCursor) => accounts.call('accounts.readLog', { ...asked, ...(after && { after }) }));
}
