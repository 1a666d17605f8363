import type { ServiceBroker } from 'moleculer';
import { call } from '../../shared/bus/call.ts';
import type { FairLock } from '../../shared/lock/fair-lock.ts';
import type { Logger } from '../../shared/log/log.ts';
import { type SlotSource, slotSource } from './catalog-source.ts';
import { ChangeQueue } from './changes/change-queue.ts';
import type { BookingStore } from './document/booking-store.ts';
import { HoldSweeper } from './holds/hold-sweeper.ts';
import { Holds } from './holds/holds.ts';
import { Relay } from './outbox/relay.ts';
import { Sweeper } from './outbox/sweeper.ts';
import { QuotaRefunds } from './quota/quota-refunds.ts';
import { QuotaReservations } from './quota/quota-reservations.ts';
import { UnsettledBookings } from './quota/unsettled-bookings.ts';
import { RetentionSweeper } from './retention/retention-sweeper.ts';
import { SeatQueue } from './seats/seat-queue.ts';

/** ms for accounts to reserve bookings or to take them back, before it is asked again: half of what a request may take */
const QUOTA_LIMIT = 4_000;

/** What the use cases of booking work with. */
export interface BookingEngine {
	store: BookingStore;
	slots: SlotSource;
	seats: SeatQueue;
	changes: ChangeQueue;
	relay: Relay;
	refunds: QuotaRefunds;
	quota: QuotaReservations;
	unsettled: UnsettledBookings;
	sweeper: Sweeper;
	holdSweeper: HoldSweeper;
	retentionSweeper: RetentionSweeper;
}

export function bookingEngine(
	broker: ServiceBroker,
	store: BookingStore,
	lock: FairLock,
	logger: Logger,
): BookingEngine {
	const options = { timeout: QUOTA_LIMIT };
	const slots = slotSource(broker);
	const relay = new Relay(store, broker, logger);
	const refunds = new QuotaRefunds((given) => call(broker, 'accounts.releaseBookings', given, options), logger);
	const quota = new QuotaReservations(
		(asked) => call(broker, 'accounts.reserveBookings', asked, options),
		refunds,
		store.clock,
	);
	const unsettled = new UnsettledBookings(store, refunds);
	const holds = new Holds(store, relay);
	const seats = new SeatQueue(lock, {
		slot: (key) => slots.ask(key),
		occupants: (occurrence) => store.occupants(occurrence),
		crowds: store.crowds,
		now: () => store.clock.now(),
		expire: (occurrence, ids, now) => holds.expireAll(occurrence, ids, now),
		reserve: (account_id, count) => quota.reserve(account_id, count),
		refund: (account_id, count, month) => refunds.give({ account_id, month }, count),
	});
	store.onSeatFreed = (occurrence, seat) => seats.freed(occurrence, seat);
	const changes = new ChangeQueue(store, slots, seats, relay, holds);
	const sweeper = new Sweeper(store, relay, logger);
	const holdSweeper = new HoldSweeper(store, holds, logger);
	const retentionSweeper = new RetentionSweeper(store, broker, sweeper, logger);
	return { store, slots, seats, changes, relay, refunds, quota, unsettled, sweeper, holdSweeper, retentionSweeper };
}
