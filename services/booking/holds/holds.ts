import type { Scoped } from '../../../shared/contract/actions.ts';
import type { Deadline } from '../../../shared/work/deadline.ts';
import type { BookingDocument, PromisedBooking } from '../document/booking.model.ts';
import type { BookingStore } from '../document/booking-store.ts';
import { prepareExpiry } from '../document/prepare-update.ts';
import { isExpired } from '../document/states.ts';
import type { Relay } from '../outbox/relay.ts';

/**
 * The end of holds. A booking whose hold has ended is cancelled by whoever meets it first: a claim that needs its place, a
 * change of the booking itself, or the sweep. Each does it by the same write of that one booking, filtered by the version that
 * it read, so there is one cancellation and one event. Until it is written, the booking holds its seat like any other, so
 * nothing about capacity rests on a clock (`seats/capacity.ts`): the clock of whoever comes decides only when it may be tried.
 * Who confirmed in time has raised the version, and the cancellation finds nothing.
 */
export class Holds {
	readonly #store: BookingStore;
	readonly #relay: Relay;

	constructor(store: BookingStore, relay: Relay) {
		this.#store = store;
		this.#relay = relay;
	}

	/**
	 * Cancels a booking as it was read.
	 * @param now ms
	 * @returns whether it did; else the booking is no longer as it was read, or its hold has not ended
	 */
	async expire(booking: BookingDocument, now: number, deadline?: Deadline): Promise<boolean> {
		if (!isExpired(booking, now)) return false;
		const { update, after } = prepareExpiry(booking as PromisedBooking, now); // whoever can be held says what it was promised
		if ((await this.#store.update(booking, update, deadline && { deadline })) !== 'written') return false;
		this.#relay.send(after);
		return true;
	}

	/** Cancels those of these bookings whose hold has ended. @param now ms */
	async expireAll({ account_id }: Scoped, ids: readonly number[], now: number, deadline?: Deadline): Promise<void> {
		await Promise.all(
			ids.map(async (id) => {
				const booking = await this.#store.find(account_id, id);
				if (booking !== null) await this.expire(booking, now, deadline);
			}),
		);
	}
}
