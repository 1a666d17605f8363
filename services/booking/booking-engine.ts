import type { ServiceBroker } from 'moleculer';
import { call } from '../../shared/bus/call.ts';
import type { FairLock } from '../../shared/lock/fair-lock.ts';
import type { Logger } from '../../shared/log/log.ts';
import { type SlotSource, slotSource } from './catalog-source.ts';
import { ChangeQueue } from './changes/change-queue.ts';
import type { BookingStore } from './document/booking-store.ts';
import { Relay } from './outbox/relay.ts';
import { Sweeper } from './outbox/sweeper.ts';
import { BookingReturns } from './seats/booking-returns.ts';
import { QuotaSource } from './seats/quota-source.ts';
import { SeatQueue, type SeatSource } from './seats/seat-queue.ts';
import { UnsettledBookings } from './seats/unsettled-bookings.ts';

/** ms for accounts to reserve bookings or to take them back, before it is asked again: half of what a request may take */
const QUOTA_LIMIT = 4_000;

/** What the use cases of booking work with. */
export interface BookingEngine {
	store: BookingStore;
	slots: SlotSource;
	seats: SeatQueue;
	changes: ChangeQueue;
	relay: Relay;
	returns: BookingReturns;
	quota: QuotaSource;
	unsettled: UnsettledBookings;
	sweeper: Sweeper;
}

export function bookingEngine(
	broker: ServiceBroker,
	store: BookingStore,
	lock: FairLock,
	logger: Logger,
): BookingEngine {
	const slots = slotSource(broker);
	const relay = new Relay(store, broker, logger);
	const returns = bookingReturns(broker, logger);
	const quota = quotaSource(broker, store, returns);
	const unsettled = new UnsettledBookings(store, returns);
	const seats = new SeatQueue(lock, seatSource(store, slots, quota, returns));
	const changes = new ChangeQueue(store, slots, seats, relay);
	const sweeper = new Sweeper(store, relay, logger);
	return { store, slots, seats, changes, relay, returns, quota, unsettled, sweeper };
}

function bookingReturns(broker: ServiceBroker, logger: Logger): BookingReturns {
	const options = { timeout: QUOTA_LIMIT };
	return new BookingReturns((given) => call(broker, 'accounts.releaseBookings', given, options), logger);
}

function quotaSource(broker: ServiceBroker, { clock }: BookingStore, returns: BookingReturns): QuotaSource {
	const options = { timeout: QUOTA_LIMIT };
	return new QuotaSource((asked) => call(broker, 'accounts.reserveBookings', asked, options), returns, clock);
}

function seatSource(store: BookingStore, slots: SlotSource, quota: QuotaSource, returns: BookingReturns): SeatSource {
	return {
		slot: (key) => slots.ask(key),
		occupants: (key) => store.occupants(key),
		reserve: (account_id, count) => quota.reserve(account_id, count),
		release: (account_id, count, month) => returns.give({ account_id, month }, count),
	};
}
