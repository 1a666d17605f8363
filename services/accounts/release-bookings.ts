import { retryDeadlock } from '../../shared/store/write-errors.ts';
import type { AccountsStore } from './accounts-store.ts';
import { usageKey } from './usage.model.ts';

/**
 * Gives reserved bookings back to the month that they came from. Not to be repeated where the outcome is unknown: given
 * back twice, they would be granted beyond the limit.
 */
export async function releaseBookings(
	store: AccountsStore,
	account_id: string,
	count: number,
	month: string,
): Promise<void> {
	if (count === 0) return;
	const reserved = { ...usageKey(account_id, month), bookings: { $gte: count } };
	await retryDeadlock(() => store.usage.updateOne(reserved, { $inc: { bookings: -count } }));
}
