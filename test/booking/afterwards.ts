import type { ServiceBroker } from 'moleculer';
import { pino } from 'pino';
import { BookingStore } from '../../services/booking/document/booking-store.ts';
import { Relay } from '../../services/booking/outbox/relay.ts';
import { Sweeper } from '../../services/booking/outbox/sweeper.ts';
import type { DirectoryEntry, NewEvent } from '../../shared/contract/actions.ts';
import type { Booking } from '../../shared/contract/schemas/booking.ts';
import { type Clock, systemClock } from '../../shared/engine/clock.ts';
import { replayFeed } from '../support/replay-feed.ts';
import type { World } from './engines.ts';

interface Another {
	/** The customers' directory */
	record?: (entries: DirectoryEntry[]) => Promise<unknown>;
	clock?: Clock;
	/** As the relay takes it */
	mostBefore?: number;
}

/** Ends a world's processes. @returns what another one delivers by, of what they left */
export async function afterwards(
	world: World,
	{ record = async () => 'ok', clock = systemClock, mostBefore }: Another = {},
) {
	await Promise.all(world.engines.map(({ broker }) => broker.stop()));
	const call = async (
		action: string,
		{ events = [], entries = [] }: { events?: NewEvent[]; entries?: DirectoryEntry[] },
	) => (action === 'notifications.append' ? world.tell(events) : record(entries));
	const store = new BookingStore(world.store.connection, clock);
	const logger = pino({ level: 'silent' });
	const relay = new Relay(store, { call } as unknown as ServiceBroker, logger, mostBefore);
	return { relay, sweeper: new Sweeper(store, relay, logger) };
}

/** Where whoever replays the world's feed counts one too many. */
export function counted(world: World): ReturnType<typeof replayFeed> {
	const maxima = new Map([...world.slots.values()].map((slot) => [slot.id, slot.max_bookings]));
	return replayFeed(world.events as (NewEvent & { data: Booking })[], (slot) => maxima.get(slot));
}
