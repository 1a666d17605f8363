import { expect } from '@jest/globals';
import { type BookingEventDocument, eventModel } from '../../services/notifications/log/event-store.ts';
import type { Store } from '../../shared/store/store.ts';

/** What the store holds of an account's log, oldest first; read past the service. */
export async function logOf(store: Store, account_id: string): Promise<BookingEventDocument[]> {
	return eventModel(store.connection).find({ account_id }).sort({ sequence: 1 }).lean<BookingEventDocument[]>();
}

/** W1: numbered from 1 without a gap, no event twice, and each booking's versions in their order. */
export function expectGapless(log: BookingEventDocument[]): void {
	expect(log.map((event) => event.sequence)).toEqual(log.map((_, index) => index + 1));
	expect(new Set(log.map((event) => event._id)).size).toBe(log.length);
	for (const [booking, events] of Map.groupBy(log, (event) => event.data.id)) {
		const versions = events.map((event) => event.data.version);
		expect({ booking, versions }).toEqual({ booking, versions: versions.toSorted((a, b) => a - b) });
	}
}
