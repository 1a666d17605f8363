import { Booking } from './booking.ts';
import { Id, Nullable, type Static, Timestamp, Type } from './schema.ts';

export const BookingEventType = Type.Union([
	Type.Literal('booking.created'),
	Type.Literal('booking.confirmed'),
	Type.Literal('booking.cancelled'),
	Type.Literal('booking.updated'),
	Type.Literal('booking.deleted'),
]);
export type BookingEventType = Static<typeof BookingEventType>;

export const EventType = Type.Union([...BookingEventType.anyOf, Type.Literal('customer.erased')]);
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
	id: Type.String({ description: '`evt_<booking>_<version>`, the same on every delivery', examples: ['evt_1_1'] }),
	type: BookingEventType,
	timestamp: Timestamp('When the change happened'),
	sequence: Type.Integer({ minimum: 1, description: 'Without a gap per account' }),
	data: Booking,
	previous: Previous,
});
export type BookingEvent = Static<typeof BookingEvent>;

/** A person was erased. It says of which bookings, and nothing of whom. */
export const CustomerErased = Type.Object({
	id: Type.String({ description: 'The same on every delivery', examples: ['evt_erasure_8Kx0qTzW3LmA_1'] }),
	type: Type.Literal('customer.erased'),
	timestamp: Timestamp('When it was asked for'),
	sequence: BookingEvent.properties.sequence,
	data: Type.Object({
		booking_ids: Type.Array(Id('Booking'), {
			description: 'Those that were, or had been, for the person, at most 1,000: further ones have events of their own',
		}),
	}),
	previous: Type.Object({}),
});
export type CustomerErased = Static<typeof CustomerErased>;

export const Event = Type.Union([BookingEvent, CustomerErased]);
export type Event = Static<typeof Event>;

export const EventList = Type.Object({
	events: Type.Array(Event),
	has_more: Type.Boolean(),
	next_after: Type.Integer({
		minimum: 0,
		description:
			'The `after` to go on with. Nothing that was asked for lies between; it moves on also where no event was of `types` or `booking_id`',
		examples: [1],
	}),
});
export type EventList = Static<typeof EventList>;
/** Of an account in which nobody was erased. */
export type BookingEventList = Omit<EventList, 'events'> & { events: BookingEvent[] };
