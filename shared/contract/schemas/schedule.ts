import { Impact } from './impact.ts';
import { NO_RULES, Rules, RulesChange } from './rules.ts';
import { ExpectedVersion, Id, Nullable, type Static, Type, Version } from './schema.ts';
import { TimeZone } from './service.ts';
import { TimeSlot } from './time-slot.ts';

/** All that decides when a service can be booked, but for its date overrides. */
export const Schedule = Type.Object({
	timezone: TimeZone,
	time_slots: Type.Array(TimeSlot, { maxItems: 500, description: 'By id' }),
	rules: Rules,
	version: Version,
});
export type Schedule = Static<typeof Schedule>;

/** What a dry run answers: the schedule as it would be; a slot that is not there has no id. */
export const SchedulePreview = Type.Object({
	...Schedule.properties,
	time_slots: Type.Array(
		Type.Object({
			...TimeSlot.properties,
			id: Nullable(Id('Time slot'), { description: 'null: it is not there, for nothing was made' }),
		}),
		{ maxItems: 500, description: 'Those that stay by id, then new ones' },
	),
	impact: Impact,
});
export type SchedulePreview = Static<typeof SchedulePreview>;

const { day_of_week, start_time, end_time, max_bookings, valid_from, valid_until } = TimeSlot.properties;

export const ScheduledSlot = Type.Object({
	id: Type.Optional(Id('Time slot that stays; left out: a new one')),
	...{ day_of_week, start_time, end_time, max_bookings },
	valid_from: Type.Optional(valid_from),
	valid_until: Type.Optional(valid_until),
});
export type ScheduledSlot = Static<typeof ScheduledSlot>;

export const ReplaceSchedule = Type.Object({
	timezone: TimeZone,
	time_slots: Type.Array(ScheduledSlot, {
		maxItems: 500,
		description: 'Time slots of the service that are left out are retired',
	}),
	rules: Type.Optional(Nullable(RulesChange, { description: 'Those that are left out are null', default: NO_RULES })),
	version: Type.Optional(ExpectedVersion),
});
export type ReplaceSchedule = Static<typeof ReplaceSchedule>;
