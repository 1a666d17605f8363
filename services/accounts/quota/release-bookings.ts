import type { Params } from '../../../shared/contract/actions.ts';
import { retryDeadlock } from '../../../shared/store/write-errors.ts';
import type { AccountsStore } from '../accounts-store.ts';
import { usageKey } from './usage.model.ts';

/**
 * Gives reserved bookings back to the month that they came from. It may be repeated where the outcome is unknown: the
 * same write remembers the number of the process' last return, for what was given back twice would be granted beyond the
 * limit.
 */
export async function releaseBookings(
	store: AccountsStore,
	{ account_id, count, month, by, number }: Params<'accounts.releaseBookings'>,
): Promise<void> {
	if (count === 0) return;
	const path = `returned.${by}`;
	const reserved = { ...usageKey(account_id, month), bookings: { $gte: count }, [path]: { $not: { $gte: number } } };
	const change = { $inc: { bookings: -count }, $set: { [path]: number } };
	await retryDeadlock(() => store.usage.updateOne(reserved, change));
}
