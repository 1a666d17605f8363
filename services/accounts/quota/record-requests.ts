import type { Params, Result } from '../../../shared/contract/actions.ts';
import { retryDeadlock } from '../../../shared/store/write-errors.ts';
import type { AccountsStore } from '../accounts-store.ts';
import { insertNew } from '../insert-new.ts';
import { type UsageRow, unused, usageKey } from './usage.model.ts';

type Report = Params<'accounts.recordRequests'>;
type Counted = Pick<UsageRow, '_id' | 'account_id'> & { requests: number };

/** Reports that a row remembers: those of 10 gateways in 5 s */
const REMEMBERED = 50;

/**
 * Adds what a gateway counted since its last report. A report that is repeated because its answer was lost counts once,
 * for a row remembers the last reports; one that is repeated after so many others counts twice, rather than not at all.
 * It is at most what one gateway counted in one interval.
 * @returns the totals of the months that were reported, all gateways' reports included
 */
export async function recordRequests(
	store: AccountsStore,
	{ report, counts }: Report,
): Promise<Result<'accounts.recordRequests'>> {
	const counted = counts.map(({ account_id, month, requests }) => ({ ...usageKey(account_id, month), requests }));
	if ((await add(store, report, counted)) < counted.length) {
		// Rows are missing, or were a moment ago. Those that have the report already refuse it now.
		const rows = counted.map(({ _id, account_id }) => unused({ _id, account_id }));
		const there = await totalsOf(store, counted);
		await insertNew(
			store.usage,
			rows.filter(({ _id }) => !there.has(_id)),
		);
		await add(store, report, counted);
	}
	const totals = await totalsOf(store, counted);
	return counted.map(({ _id }, at) => ({ ...counts[at]!, requests: totals.get(_id)! }));
}

/** Rows that grow by the same number share a write. @returns how many rows took the report */
async function add({ usage }: AccountsStore, report: string, counted: Counted[]): Promise<number> {
	const byNumber = Map.groupBy(counted, ({ requests }) => requests);
	const writes = [...byNumber].map(([requests, rows]) =>
		retryDeadlock(() =>
			usage.updateMany(
				{ ...among(rows), reports: { $ne: report } },
				{ $inc: { requests }, $push: { reports: { $each: [report], $slice: -REMEMBERED } } },
			),
		),
	);
	return (await Promise.all(writes)).reduce((sum, { matchedCount }) => sum + matchedCount, 0);
}

async function totalsOf({ usage }: AccountsStore, counted: Counted[]): Promise<Map<string, number>> {
	const rows = await usage.find(among(counted)).select({ requests: 1 }).lean<Pick<UsageRow, '_id' | 'requests'>[]>();
	return new Map(rows.map(({ _id, requests }) => [_id, requests]));
}

function among(rows: Counted[]) {
	return {
		_id: { $in: rows.map(({ _id }) => _id) },
		account_id: { $in: [...new Set(rows.map(({ account_id }) => account_id))] },
	};
}
