import { Booking } from './booking.ts';
import { Nullable, type Static, Timestamp, Type } from './schema.ts';

export const EventType = Type.Union([
	Type.Literal('booking.created'),
	Type.Literal('booking.confirmed'),
	Type.Literal('booking.cancelled'),
	Type.Literal('booking.updated'),
	Type.Literal('booking.deleted'),
]);
export type EventType = Static<typeof EventType>;

const { version: _version, updated_at: _updated_at, ...changing } = Booking.properties;

/** Fields of a booking as they were before a change of them. */
export const Previous = Type.Partial(Type.Object({ ...changing, cancel_reason: Nullable(Type.String()) }), {
	description:
		'The fields of `data` that changed, as they were; `null` for one that was not there. `version` and `updated_at`, which ' +
		'change always, are not among them. Empty for created and deleted, and in events of earlier versions',
});
export type Previous = Static<typeof Previous>;

export const BookingEvent = Type.Object({
	id: Type.String({ description: '`evt_<booking>_<version>`, the same on every delivery', examples: ['evt_42_1'] }),
	type: EventType,
	timestamp: Timestamp('When the change happened'),
	sequence: Type.Integer({ minimum: 1, description: 'Without a gap per account' }),
	data: Booking,
	previous: Previous,
});
export type BookingEvent = Static<typeof BookingEvent>;

export const EventList = Type.Object({
	events: Type.Array(BookingEvent),
	has_more: Type.Boolean(),
	next_after: Type.Integer({
		minimum: 0,
		description:
			'The `after` to go on with. Nothing that was asked for lies between; it moves on also where no event was of `types` or `booking_id`',
		examples: [1],
	}),
});
export type EventList = Static<typeof EventList>;
