import { Id, Moment, Nullable, PlainDate, type Static, Type } from './schema.ts';

/** One time slot on one date. */
export const Occurrence = Type.Object({
	date: PlainDate('Date'),
	time_slot_id: Id('Time slot'),
	starts_at: Moment('Start'),
	ends_at: Moment('End'),
	max_bookings: Type.Integer({ minimum: 0 }),
	override_id: Nullable(Id('Date override'), {
		description: 'The date override that the maximum is of; null: it is the slot’s own',
	}),
});
export type Occurrence = Static<typeof Occurrence>;

const UnavailableReason = Type.Union([
	Type.Literal('full'),
	Type.Literal('closed'),
	Type.Literal('notice'),
	Type.Literal('horizon'),
]);

export const AvailabilityEntry = Type.Object({
	...Occurrence.properties,
	booked: Type.Integer({ minimum: 0, description: 'Bookings that hold a place' }),
	remaining: Type.Integer({ minimum: 0 }),
	bookable: Type.Boolean(),
	reason: Nullable(UnavailableReason, {
		description:
			'Why it is not bookable: too late or too early by the rules of the service, `closed` where the maximum is 0, or full',
	}),
});
export type AvailabilityEntry = Static<typeof AvailabilityEntry>;

/** One time slot of one of several services on one date. */
export const ServiceAvailabilityEntry = Type.Object({ service_id: Id('Service'), ...AvailabilityEntry.properties });
export type ServiceAvailabilityEntry = Static<typeof ServiceAvailabilityEntry>;

/** What can be booked in place of what could not. */
export const Alternative = Type.Object({
	service_id: Id('Service'),
	time_slot_id: Id('Time slot'),
	date: PlainDate('Date'),
	starts_at: Moment('Start'),
	ends_at: Moment('End'),
	remaining: Type.Integer({ minimum: 1 }),
});
export type Alternative = Static<typeof Alternative>;

export const Availability = Type.Object({ availability: Type.Array(AvailabilityEntry) });
export type Availability = Static<typeof Availability>;

export const ServicesAvailability = Type.Object({ availability: Type.Array(ServiceAvailabilityEntry) });
export type ServicesAvailability = Static<typeof ServicesAvailability>;
