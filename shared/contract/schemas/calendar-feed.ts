import { Pagination } from './pagination.ts';
import { Id, Nullable, type Static, Timestamp, Type } from './schema.ts';

/** A secret address at which programs for calendars read the bookings of a service. */
export const CalendarFeed = Type.Object({
	id: Id('Calendar feed'),
	service_id: Id('Service'),
	include_customers: Type.Boolean({ description: "Whether it tells the customers' names, addresses and numbers" }),
	created_at: Timestamp('When it was made'),
});
export type CalendarFeed = Static<typeof CalendarFeed>;

export const NewCalendarFeed = Type.Object({
	...CalendarFeed.properties,
	address: Type.String({
		description: 'Where it is read, on the host of the API, without a key. Shown this once',
		examples: ['/calendar/4wVb0Wn1bLh6QkTt9cZp2sXy7RfGd8JaMe3UoNi5KqB.ics'],
	}),
});
export type NewCalendarFeed = Static<typeof NewCalendarFeed>;

export const CreateCalendarFeed = Type.Object({
	include_customers: Type.Optional(Nullable(Type.Boolean(), { description: 'false if left out', examples: [true] })),
});
export type CreateCalendarFeed = Static<typeof CreateCalendarFeed>;

export const CalendarFeedList = Type.Object({ calendar_feeds: Type.Array(CalendarFeed), pagination: Pagination });
export type CalendarFeedList = Static<typeof CalendarFeedList>;

export const MOST_FEEDS = 10;
