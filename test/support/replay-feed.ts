/** What replaying a feed takes of an event. */
interface FeedEvent {
	id: string;
	type: string;
	data: {
		id: number;
		time_slot_id: number;
		date: string;
		status: string;
		customer: { email: string | null };
		/** Of `customer.erased` alone */
		booking_ids?: number[];
	};
}

/** A moment of the feed at which an occurrence has more than it may. */
export interface Excess {
	rule: 'capacity' | 'no duplicates';
	event: string;
	what: string;
	/** Bookings that are there at the same time */
	bookings: number[];
}

/**
 * Counts along a feed, as whoever keeps a copy of the bookings does: at no event has an occurrence more active bookings than the
 * highest maximum that its slot ever had, or two of one customer.
 * @param most of a slot; undefined where nobody knows
 */
export function replayFeed(events: Iterable<FeedEvent>, most: (time_slot_id: number) => number | undefined): Excess[] {
	const found: Excess[] = [];
	const places = new Map<string, Set<number>>();
	const held = new Map<number, string[]>();
	for (const { id: event, type, data } of events) {
		for (const erased of data.booking_ids ?? []) {
			for (const key of held.get(erased)?.splice(1) ?? []) places.get(key)!.delete(erased); // its place it keeps
		}
		if (!type.startsWith('booking.')) continue;
		const { id, time_slot_id, date, status, customer } = data;
		for (const key of held.get(id) ?? []) places.get(key)!.delete(id);
		held.delete(id);
		if (type === 'booking.deleted' || status === 'cancelled') continue;
		const place = `slot ${time_slot_id} on ${date}`;
		const email = customer.email?.toLowerCase();
		const own = [{ key: place, limit: most(time_slot_id), rule: 'capacity' as const }];
		const all = email == null ? own : [...own, { key: `${email}, ${place}`, limit: 1, rule: 'no duplicates' as const }];
		held.set(
			id,
			all.map(({ key }) => key),
		);
		for (const { key, limit, rule } of all) {
			const there = places.get(key) ?? new Set();
			places.set(key, there.add(id));
			if (limit === undefined || there.size <= limit) continue;
			found.push({ rule, event, what: `${key}: ${there.size} of ${limit} at event ${event}`, bookings: [...there] });
		}
	}
	return found;
}
