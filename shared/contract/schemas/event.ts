import { Booking } from './booking.ts';
import { type Static, Timestamp, Type } from './schema.ts';

export const EventType = Type.Union([
	Type.Literal('booking.created'),
	Type.Literal('booking.confirmed'),
	Type.Literal('booking.cancelled'),
	Type.Literal('booking.updated'),
	Type.Literal('booking.deleted'),
]);
export type EventType = Static<typeof EventType>;

export const BookingEvent = Type.Object({
	id: Type.String({ description: '`evt_<booking>_<version>`, the same on every delivery', examples: ['evt_42_1'] }),
	type: EventType,
	timestamp: Timestamp('When the change happened'),
	sequence: Type.Integer({ minimum: 1, description: 'Without a gap per account' }),
	data: Booking,
});
export type BookingEvent = Static<typeof BookingEvent>;

export const EventList = Type.Object({
	events: Type.Array(BookingEvent),
	has_more: Type.Boolean(),
	next_after: Type.Integer({
		minimum: 0,
		description:
			'The `after` to go on with. Nothing that was asked for lies between; it moves on also where no event was of `types`',
		examples: [1],
	}),
});
export type EventList = Static<typeof EventList>;
