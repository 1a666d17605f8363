import type { Params, Result } from '../../../shared/contract/actions.ts';
import type { AccountsStore } from '../accounts-store.ts';
import { type UsageKey, type UsageStore, usageKey } from './usage-store.ts';

type Counted = UsageKey & { requests: number };

/**
 * Adds what a gateway counted since its last report. A report that is repeated because its answer was lost counts once,
 * for a row remembers the last reports. One that is repeated after many others counts twice, rather than not at all: that
 * is at most what one gateway counted in one interval.
 * @returns the totals of the months that were reported, all gateways' reports included
 */
export async function recordRequests(
	{ usage }: AccountsStore,
	{ report, counts }: Params<'accounts.recordRequests'>,
): Promise<Result<'accounts.recordRequests'>> {
	const counted = counts.map(({ account_id, month, requests }) => ({ ...usageKey(account_id, month), requests }));
	if ((await add(usage, report, counted)) < counted.length) {
		// Rows are missing, or were a moment ago. Those that have the report already refuse it now.
		const there = await usage.requestsOf(counted);
		const missing = counted.filter(({ _id }) => !there.has(_id));
		await usage.add(missing.map(({ _id, account_id }) => ({ _id, account_id })));
		await add(usage, report, counted);
	}
	const totals = await usage.requestsOf(counted);
	return counted.map(({ _id }, at) => ({ ...counts[at]!, requests: totals.get(_id)! }));
}

/** Rows that grow by the same number share a write. @returns how many rows took the report */
async function add(usage: UsageStore, report: string, counted: Counted[]): Promise<number> {
	const byNumber = Map.groupBy(counted, ({ requests }) => requests);
	const writes = [...byNumber].map(([requests, rows]) => usage.addRequests(rows, requests, report));
	return (await Promise.all(writes)).reduce((sum, taken) => sum + taken, 0);
}
