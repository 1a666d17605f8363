import { type Caller, call } from '../../shared/bus/call.ts';
import type { Params } from '../../shared/contract/actions.ts';
import type { CustomerStore } from './customer-store.ts';
import type { FormerCustomers } from './former-customers.ts';

/**
 * Every booking that is kept about a person: those that booking finds as they are now, those that the directory has, and those
 * that were for the person once, of which events or a first answer may still say so.
 */
export async function bookingsOf(
	{ customers, former }: { customers: CustomerStore; former: FormerCustomers },
	caller: Caller,
	{ person, after, limit, ...scope }: Params<'booking.ofPerson'>,
): Promise<number[]> {
	const found = await Promise.all([
		call(caller, 'booking.ofPerson', { ...scope, person, after, limit }),
		customers.bookingsOf(scope, person, after, limit),
		former.bookingsOf(scope, person, after, limit),
	]);
	const ids = [...new Set(found.flat())].sort((left, right) => left - right);
	return ids.slice(0, limit);
}
