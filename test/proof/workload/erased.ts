import type { BookingEvent, Event } from '../../../shared/contract/schemas/event.ts';

/** What a feed tells of bookings, and the ids of those that an erasure was of. */
export function partedByErasure(events: readonly Event[]): { told: BookingEvent[]; erased: Set<number> } {
	return {
		told: events.filter((event): event is BookingEvent => event.type !== 'customer.erased'),
		erased: new Set(events.flatMap((event) => (event.type === 'customer.erased' ? event.data.booking_ids : []))),
	};
}
