import type { ServiceBroker } from 'moleculer';
import { call } from '../../shared/call.ts';
import type { PlaceLock } from '../../shared/lock/place-lock.ts';
import type { Logger } from '../../shared/log.ts';
import { logFailure } from '../../shared/log-failure.ts';
import type { BookingStore } from './booking-store.ts';
import { ChangeQueue } from './change-queue.ts';
import { PlaceQueue, type PlaceSource } from './place-queue.ts';
import { Relay } from './relay.ts';
import { type SlotSource, slotSource } from './slot-source.ts';
import { Sweeper } from './sweeper.ts';

/** What the use cases of booking work with. */
export interface BookingEngine {
	store: BookingStore;
	slots: SlotSource;
	places: PlaceQueue;
	changes: ChangeQueue;
	relay: Relay;
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
	const places = new PlaceQueue(lock, placeSource(broker, store, slots, logger));
	const changes = new ChangeQueue(store, slots, places, relay);
	return { store, slots, places, changes, relay, sweeper: new Sweeper(store, relay, logger) };
}

function placeSource(broker: ServiceBroker, store: BookingStore, slots: SlotSource, logger: Logger): PlaceSource {
	return {
		slot: (key) => slots.ask(key),
		occupants: (key) => store.occupants(key),
		reserve: (account_id, count) => call(broker, 'accounts.reserveBookings', { account_id, count }),
		release: (account_id, count, month) => {
			call(broker, 'accounts.releaseBookings', { account_id, count, month }).catch((error: unknown) =>
				logFailure(logger, error, 'bookings that were not made stay counted', { account_id, count }),
			);
		},
	};
}
