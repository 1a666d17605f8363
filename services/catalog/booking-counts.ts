import type { ServiceBroker } from 'moleculer';
import type { ServiceKey } from '../../shared/actions.ts';
import { call } from '../../shared/call.ts';
import { Gatherer } from '../../shared/gatherer.ts';

/** How many bookings of a service hold a place, as booking counts them now; what is asked at the same moment shares calls. */
export type BookingCounts = Gatherer<ServiceKey, number>;

/** @param broker what is asked for serves several requests, so it carries none's deadline */
export function bookingCounts(broker: ServiceBroker): BookingCounts {
	return new Gatherer(async (keys) => {
		const accounts = Map.groupBy(keys, ({ account_id }) => account_id);
		const counted = await Promise.all(
			[...accounts].map(async ([account_id, services]) => {
				const service_ids = [...new Set(services.map(({ service_id }) => service_id))];
				const counts = await call(broker, 'booking.counts', { account_id, service_ids }).catch(asError);
				return [account_id, counts] as const;
			}),
		);
		const byAccount = new Map(counted);
		return keys.map(({ account_id, service_id }) => {
			const counts = byAccount.get(account_id)!;
			return counts instanceof Error ? counts : (counts[service_id] ?? 0);
		});
	});
}

/** One account's failure is not the others'. */
function asError(error: unknown): Error {
	return error instanceof Error ? error : new Error(String(error));
}
