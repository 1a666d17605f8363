import { Impact } from './impact.ts';
import { Pagination } from './pagination.ts';
import { Id, LocalDateTime, Nullable, PlainDate, type Static, Timestamp, Type } from './schema.ts';

const DayOfWeek = Type.Integer({ minimum: 0, maximum: 6, description: '0 is Sunday', examples: [1] });
const MaxBookings = (minimum: 0 | 1) =>
	Type.Integer({ minimum, maximum: 10_000, description: 'Bookings that the slot takes on one date', examples: [4] });
const StartTime = LocalDateTime("Start, wall-clock time in the service's time zone");
const EndTime = LocalDateTime("End, wall-clock time in the service's time zone; after the start");
const ValidFrom = Nullable(PlainDate('First date'), { description: 'First date on which it can be booked; null: any' });
const ValidUntil = Nullable(PlainDate('Last date'), { description: 'Last date on which it can be booked; null: any' });

export const TimeSlot = Type.Object({
	id: Id('Time slot'),
	service_id: Id('Service'),
	day_of_week: DayOfWeek,
	start_time: StartTime,
	end_time: EndTime,
	max_bookings: MaxBookings(0),
	valid_from: ValidFrom,
	valid_until: ValidUntil,
	created_at: Timestamp('When it was made'),
	updated_at: Timestamp('When it was last changed'),
});
export type TimeSlot = Static<typeof TimeSlot>;

export const TimeSlotInput = Type.Object({
	day_of_week: DayOfWeek,
	start_time: StartTime,
	end_time: EndTime,
	max_bookings: MaxBookings(1),
	valid_from: Type.Optional(ValidFrom),
	valid_until: Type.Optional(ValidUntil),
});
export type TimeSlotInput = Static<typeof TimeSlotInput>;

/** `max_bookings: 0` closes a slot. */
export const TimeSlotChange = Type.Object({
	id: Id('Time slot to change'),
	day_of_week: Type.Optional(DayOfWeek),
	start_time: Type.Optional(StartTime),
	end_time: Type.Optional(EndTime),
	max_bookings: Type.Optional(MaxBookings(0)),
	valid_from: Type.Optional(ValidFrom),
	valid_until: Type.Optional(ValidUntil),
});
export type TimeSlotChange = Static<typeof TimeSlotChange>;

export const UpdateTimeSlots = Type.Object({ time_slots: Type.Array(TimeSlotChange, { minItems: 1, maxItems: 500 }) });
export type UpdateTimeSlots = Static<typeof UpdateTimeSlots>;

export const UpdatedTimeSlots = Type.Object({ time_slots: Type.Array(TimeSlot) });

/** What a dry run answers: the time slots as they would be. */
export const TimeSlotsPreview = Type.Object({ ...UpdatedTimeSlots.properties, impact: Impact });

export const TimeSlotList = Type.Object({ time_slots: Type.Array(TimeSlot), pagination: Pagination });
export type TimeSlotList = Static<typeof TimeSlotList>;
