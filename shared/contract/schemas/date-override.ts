import { Impact } from './impact.ts';
import { Pagination } from './pagination.ts';
import { Id, Nullable, PlainDate, type Static, Text, Type } from './schema.ts';

const DateFrom = PlainDate('First date');
const DateTo = PlainDate('Last date, at most 366 days in all');
const OfSlot = Nullable(Id('Time slot'), { description: 'Only this time slot of the service; null: all of them' });
const MaxBookings = Type.Integer({
	minimum: 0,
	maximum: 10_000,
	description: "On these dates in place of the time slot's own; 0 closes",
	examples: [0],
});
const Reason = Nullable(Text(255), { description: 'At most 255 characters', examples: ['Christmas'] });

/** Another maximum on some dates. Of several that meet on a date, the one with the highest id holds. */
export const DateOverride = Type.Object({
	id: Id('Date override'),
	date_from: DateFrom,
	date_to: DateTo,
	time_slot_id: OfSlot,
	max_bookings: MaxBookings,
	reason: Reason,
});
export type DateOverride = Static<typeof DateOverride>;

export const CreateDateOverride = Type.Object({
	date_from: DateFrom,
	date_to: DateTo,
	time_slot_id: Type.Optional(OfSlot),
	max_bookings: MaxBookings,
	reason: Type.Optional(Reason),
});
export type CreateDateOverride = Static<typeof CreateDateOverride>;

/** What a dry run answers: one that is not there has no id. */
export const DateOverridePreview = Type.Object({
	...DateOverride.properties,
	id: Type.Null({ description: 'There is none: nothing was made' }),
	impact: Impact,
});
export type DateOverridePreview = Static<typeof DateOverridePreview>;

export const DateOverrideList = Type.Object({ date_overrides: Type.Array(DateOverride), pagination: Pagination });
export type DateOverrideList = Static<typeof DateOverrideList>;

export const MOST_OVERRIDES = 1_000;
export const MOST_OVERRIDDEN_DAYS = 366;
