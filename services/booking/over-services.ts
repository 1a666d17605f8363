import { type Caller, call } from '../../shared/bus/call.ts';

/**
 * What is read over all services of an account that may have bookings. Where a service came meanwhile it is read again, for a
 * booking that was there all the time may have moved into it: as often as that happens, within the request's time.
 */
export async function overServices<T>(
	caller: Caller,
	account_id: string,
	read: (service_ids: readonly number[]) => Promise<T>,
): Promise<T> {
	for (let known: readonly number[] = [], ids = await call(caller, 'catalog.serviceIds', { account_id }); ; ) {
		known = ids;
		const found = await read(known);
		ids = await call(caller, 'catalog.serviceIds', { account_id });
		const before = new Set(known);
		if (ids.every((id) => before.has(id))) return found;
	}
}
