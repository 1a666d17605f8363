import type { BookingEvent, BookingEventList } from '../../shared/contract/schemas/event.ts';
import type { Client } from './http-client.ts';
import { until } from './until.ts';

/** Every event of the account, oldest first. */
export async function eventsOf(client: Client): Promise<BookingEvent[]> {
	const events: BookingEvent[] = [];
	for (let more = true; more; ) {
		const query = { after: events.at(-1)?.sequence ?? 0, limit: 1000 };
		const page = (await client.get<BookingEventList>('/v1/events', { query })).mustBe(200);
		events.push(...page.events);
		more = page.has_more;
	}
	return events;
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
