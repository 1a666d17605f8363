import type { ServiceBroker } from 'moleculer';
import type { Result } from '../../shared/actions.ts';
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
	return new Gatherer(async (reservations) => {
		const answers = new Map<Reservation, Reserved | Error>();
		const reserve = async (account_id: string, together: Reservation[]) => {
			const count = together.reduce((sum, reservation) => sum + reservation.count, 0);
			const reserved = await call(broker, 'accounts.reserveBookings', { account_id, count });
			let left = reserved.granted;
			for (const reservation of together) {
				const granted = Math.min(reservation.count, left);
				left -= granted;
				answers.set(reservation, { ...reserved, granted });
			}
		};
		const groups = Map.groupBy(reservations, ({ account_id }) => account_id);
		const calls = [...groups].map(([account_id, together]) =>
			reserve(account_id, together).catch((error: Error) => {
				for (const reservation of together) answers.set(reservation, error);
			}),
		);
		await Promise.all(calls);
		return reservations.map((reservation) => answers.get(reservation)!);
	});
}
