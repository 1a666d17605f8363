import type { LogCursor, LogEntry, Page } from '../../../shared/contract/account-reports.ts';
import type { Params } from '../../../shared/contract/actions.ts';
import { type Clock, timestamp } from '../../../shared/engine/clock.ts';
import type { AccountsStore } from '../accounts-store.ts';
import { logEntry, toLogEntry } from './operator-log.model.ts';

/** Entries of a page: below 512 KiB */
const PAGE = 500;
/** ms in which a key and operation have one entry, over all gateways: keys that are refused must not fill the log */
const MINUTE = 60_000;

/**
 * The operator log, oldest first.
 * @param asked `since`: ISO 8601 UTC, the first moment; `after`: the last entry of the page before
 */
export async function readLog(
	{ log }: AccountsStore,
	asked: Params<'accounts.readLog'>,
): Promise<Page<LogEntry, LogCursor>> {
	const rows = (await log.read(asked, PAGE)).map(toLogEntry);
	const last = rows.at(-1);
	return { rows, next: rows.length === PAGE && last ? { at: last.at, id: last.id } : null };
}

/**
 * Records a scope refusal: a key was refused an operation for want of a scope.
 * @param given `count`: how many requests it was
 * @returns false where this minute has its entry already: to be told again later, with what came meanwhile
 */
export function recordScopeRefusal(
	{ log }: AccountsStore,
	clock: Clock,
	{ account_id, key_id, ...details }: Params<'accounts.recordRefusal'>,
): Promise<boolean> {
	const now = clock.now();
	const entry = { account_id, at: timestamp(now), event: 'key.refused', subject: key_id, actor: 'gateway' } as const;
	return log.appendOnce(logEntry({ ...entry, details }, `${details.operation}:${Math.floor(now / MINUTE)}`));
}
