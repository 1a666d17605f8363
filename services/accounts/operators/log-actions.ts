import type { LogCursor, LogEntry, Page } from '../../../shared/contract/account-reports.ts';
import type { AccountsStore } from '../accounts-store.ts';
import { type AuditRow, toLogEntry } from './operator-log.model.ts';

/** Entries of a page: below 512 KiB */
const PAGE = 500;

/**
 * The audit log, oldest first.
 * @param asked `since`: ISO 8601 UTC, the first moment; `after`: the last entry of the page before
 */
export async function readLog(
	store: AccountsStore,
	asked: { account_id?: string; since?: string; after?: LogCursor },
): Promise<Page<LogEntry, LogCursor>> {
	const { account_id, since = '', after } = asked;
	const read = async (filter: object, limit: number) => {
		const whose = account_id === undefined ? {} : { account_id };
		const query = store.audit.find({ ...whose, ...filter }, {}, { everyAccount: true });
		return query.sort({ at: 1, _id: 1 }).limit(limit).lean<AuditRow[]>();
	};
	const found = after === undefined ? [] : await read({ at: after.at, _id: { $gt: after.id } }, PAGE);
	if (found.length < PAGE) {
		const later = after === undefined ? { at: { $gte: since } } : { at: { $gt: after.at } };
		found.push(...(await read(later, PAGE - found.length)));
	}
	const rows = found.map(toLogEntry);
	const last = rows.at(-1);
	return { rows, next: rows.length === PAGE && last ? { at: last.at, id: last.id } : null };
}
