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
