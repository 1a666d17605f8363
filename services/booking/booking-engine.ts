import type { ServiceBroker } from 'moleculer';
import { BookingReturns } from '../../shared/booking-returns.ts';
import { call } from '../../shared/call.ts';
import type { PlaceLock } from '../../shared/lock/place-lock.ts';
import type { Logger } from '../../shared/log.ts';
import type { BookingStore } from './booking-store.ts';
import { ChangeQueue } from './change-queue.ts';
import { PlaceQueue, type PlaceSource } from './place-queue.ts';
import { quotaSource } from './quota-source.ts';
import { Relay } from './relay.ts';
import { type SlotSource, slotSource } from './slot-source.ts';
import { Sweeper } from './sweeper.ts';

/** ms for accounts to take bookings back, before it is asked again */
const RETURN_LIMIT = 3_000;

/** What the use cases of booking work with. */
export interface BookingEngine {
	store: BookingStore;
	slots: SlotSource;
	places: PlaceQueue;
	changes: ChangeQueue;
	relay: Relay;
	returns: BookingReturns;
	sweeper: Sweeper;
}

export function bookingEngine(
	broker: ServiceBroker,
	store: BookingStore,
	lock: PlaceLock,
	logger: Logger,
): BookingEngine {
	const slots = slotSource(broker);
	const relay = new Relay(store, broker, logger);
	const returns = bookingReturns(broker, logger);
	const places = new PlaceQueue(lock, placeSource(broker, store, slots, returns));
	const changes = new ChangeQueue(store, slots, places, relay);
	return { store, slots, places, changes, relay, returns, sweeper: new Sweeper(store, relay, logger) };
}

function bookingReturns(broker: ServiceBroker, logger: Logger): BookingReturns {
	const options = { timeout: RETURN_LIMIT };
	return new BookingReturns((given) => call(broker, 'accounts.releaseBookings', given, options), logger);
}

function placeSource(
	broker: ServiceBroker,
	store: BookingStore,
	slots: SlotSource,
	returns: BookingReturns,
): PlaceSource {
	const quota = quotaSource(broker);
	return {
		slot: (key) => slots.ask(key),
		occupants: (key) => store.occupants(key),
		reserve: (account_id, count) => quota.ask({ account_id, count }),
		release: (account_id, count, month) => returns.give({ account_id, month }, count),
	};
}
