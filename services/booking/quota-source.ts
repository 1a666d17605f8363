import type { ServiceBroker } from 'moleculer';
import type { Result } from '../../shared/actions.ts';
import { byAccount } from '../../shared/by-account.ts';
import { call } from '../../shared/call.ts';
import { Gatherer } from '../../shared/gatherer.ts';

interface Reservation {
	account_id: string;
	count: number;
}

type Reserved = Result<'accounts.reserveBookings'>;

/** Bookings of accounts' months. What is reserved at the same moment for one account is one call, granted in order. */
export type QuotaSource = Gatherer<Reservation, Reserved>;

export function quotaSource(broker: ServiceBroker): QuotaSource {
	return new Gatherer((reservations) =>
		byAccount(reservations, async (account_id, together) => {
			const count = together.reduce((sum, reservation) => sum + reservation.count, 0);
			const reserved = await call(broker, 'accounts.reserveBookings', { account_id, count });
			let left = reserved.granted;
			return together.map((reservation) => {
				const granted = Math.min(reservation.count, left);
				left -= granted;
				return { ...reserved, granted };
			});
		}),
	);
}
