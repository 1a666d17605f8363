import { Id, Moment, Nullable, PlainDate, type Static, type TSchema, Type } from './schema.ts';

/** Of each kind, as many are told of as one answer takes. */
export const MOST_TOLD = 100;

const Told = <T extends TSchema>(items: T, description: string) =>
	Type.Object(
		{
			total: Type.Integer({ minimum: 0, description: 'How many there would be' }),
			items: Type.Array(items, {
				maxItems: MOST_TOLD,
				description: `The first ${MOST_TOLD}, by date, then time slot`,
			}),
		},
		{ description },
	);

const OverCapacity = Type.Object({
	time_slot_id: Id('Time slot'),
	date: PlainDate('Date'),
	booked: Type.Integer({ minimum: 1, description: 'Bookings that hold a place' }),
	max_bookings: Type.Integer({ minimum: 0, description: 'The maximum on that date' }),
});

/** A booking that holds a place, as it was promised. */
const Promised = Type.Object({
	booking_id: Id('Booking'),
	time_slot_id: Id('Time slot'),
	date: PlainDate('Date'),
	starts_at: Moment('The start that was promised'),
	ends_at: Moment('The end that was promised'),
});

const OutOfStep = Type.Object({
	...Promised.properties,
	scheduled_starts_at: Nullable(Moment('The start by the schedule'), {
		description: 'The start by the schedule, ISO 8601; null: the time slot would not be on that date',
	}),
	scheduled_ends_at: Nullable(Moment('The end by the schedule'), {
		description: 'The end by the schedule, ISO 8601; null: the time slot would not be on that date',
	}),
});

/** What a change of a schedule would mean for bookings. */
export const Impact = Type.Object(
	{
		over_capacity: Told(OverCapacity, 'Time slots and dates with more bookings than their maximum would be'),
		retired: Told(Promised, 'Bookings of time slots that would go'),
		out_of_step: Told(OutOfStep, 'Bookings whose promised moments would not be those of the schedule'),
	},
	{
		description:
			"What would be so afterwards of the time slots and dates that the change is about, from today on by the service's " +
			'clock, also where it is so already. Bookings stay as they are promised, so none of this is done to them',
	},
);
export type Impact = Static<typeof Impact>;
export type OverCapacity = Static<typeof OverCapacity>;
export type PromisedBooking = Static<typeof Promised>;
export type OutOfStep = Static<typeof OutOfStep>;
