import type { ServiceBroker } from 'moleculer';
import { call } from '../../shared/bus/call.ts';
import type { ServiceKey } from '../../shared/contract/actions.ts';
import { byAccount } from '../../shared/engine/by-account.ts';
import { Gatherer } from '../../shared/engine/gatherer.ts';

/** How many bookings of a service hold a place, as booking counts them now; what is asked at the same moment shares calls. */
export type BookingCounts = Gatherer<ServiceKey, number>;

/** @param broker what is asked for serves several requests, so it carries none's deadline */
export function bookingCounts(broker: ServiceBroker): BookingCounts {
	return new Gatherer((keys) =>
		byAccount(keys, async (account_id, services) => {
			const service_ids = [...new Set(services.map(({ service_id }) => service_id))];
			const counts = await call(broker, 'booking.counts', { account_id, service_ids });
			return services.map(({ service_id }) => counts[service_id] ?? 0);
		}),
	);
}
