import type { ServiceBroker } from 'moleculer';
import type { TimeSlot } from '../../shared/api/time-slot.ts';
import { call } from '../../shared/call.ts';
import { Gatherer } from '../../shared/gatherer.ts';
import type { KeyedQueue } from '../../shared/keyed-queue.ts';
import type { Logger } from '../../shared/log.ts';
import type { BookingStore } from './booking-store.ts';
import type { PlaceQueue, PlaceSource } from './place-queue.ts';
import type { Relay } from './relay.ts';
import type { Sweeper } from './sweeper.ts';

/** What the use cases of booking work with. */
export interface BookingEngine {
	store: BookingStore;
	places: PlaceQueue;
	slots: Gatherer<SlotKey, TimeSlot | null>;
	relay: Relay;
	sweeper: Sweeper;
	/** The changes of one booking queue here, so that compare-and-set contends with processes, not with clients. */
	changes: KeyedQueue<number>;
}

interface SlotKey {
	account_id: string;
	time_slot_id: number;
}

/** Time slots from catalog: as they are now, all that is asked for at the same moment in one call. */
export function slotSource(broker: ServiceBroker): Gatherer<SlotKey, TimeSlot | null> {
	return new Gatherer((slots) => call(broker, 'catalog.slots', { slots }));
}

export function placeSource(
	broker: ServiceBroker,
	store: BookingStore,
	slots: Gatherer<SlotKey, TimeSlot | null>,
	logger: Logger,
): PlaceSource {
	return {
		slot: (key) => slots.ask(key),
		occupants: (key) => store.occupants(key),
		reserve: async (account_id, count) => call(broker, 'accounts.reserveBookings', { account_id, count }),
		release: (account_id, count, month) => {
			call(broker, 'accounts.releaseBookings', { account_id, count, month }).catch((error: unknown) =>
				logger.warn({ err: error, account_id, count }, 'bookings that were not made stay counted'),
			);
		},
	};
}
