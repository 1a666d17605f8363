import { Nullable, type Static, Type } from './schema.ts';

const MinNotice = Nullable(Type.Integer({ minimum: 0, maximum: 525_600 }), {
	description: 'Minutes before its start until which a time slot can be booked; 0: until it begins; null: for ever',
	examples: [120],
});
const MaxAdvance = Nullable(Type.Integer({ minimum: 1, maximum: 3_650 }), {
	description: "Days in advance, from today by the service's clocks; null: any number",
	examples: [90],
});

/** When a service can be booked, by its own clocks. They hold for creations and moves. */
export const Rules = Type.Object({ min_notice_minutes: MinNotice, max_advance_days: MaxAdvance });
export type Rules = Static<typeof Rules>;

export const NO_RULES: Rules = { min_notice_minutes: null, max_advance_days: null };

export const RulesChange = Type.Object({
	min_notice_minutes: Type.Optional(MinNotice),
	max_advance_days: Type.Optional(MaxAdvance),
});
export type RulesChange = Static<typeof RulesChange>;
