import type { BookingEvent, Event, EventList } from '../../shared/contract/schemas/event.ts';
import type { Client } from './http-client.ts';
import { until } from './until.ts';

/** Every event of the account behind a sequence, oldest first. */
export async function allEventsOf(client: Client, behind = 0): Promise<Event[]> {
	const events: Event[] = [];
	for (let more = true; more; ) {
		const query = { after: events.at(-1)?.sequence ?? behind, limit: 1000 };
		const page = (await client.get<EventList>('/v1/events', { query })).mustBe(200);
		events.push(...page.events);
		more = page.has_more;
	}
	return events;
}

/** The same, of an account that erases nobody: all of them are of bookings. */
export function eventsOf(client: Client, behind = 0): Promise<BookingEvent[]> {
	return allEventsOf(client, behind) as Promise<BookingEvent[]>;
}

/** Every event of the account as soon as there are `count` of them; there may be more. */
export function eventsUpTo(client: Client, count: number): Promise<BookingEvent[]> {
	return until(
		async () => {
			const events = await eventsOf(client);
			return events.length >= count && events;
		},
		{ what: `${count} events` },
	);
}
