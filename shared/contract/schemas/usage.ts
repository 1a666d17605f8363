import { Nullable, type Static, Timestamp, Type } from './schema.ts';

const Count = (description: string) => Type.Integer({ minimum: 0, description });
const Limit = (description: string) => Nullable(Count(description), { description: `${description}; null: no limit` });

/** What is counted by the month. */
const MonthlyUsage = (what: string) =>
	Type.Object({
		used: Count(`${what} of the month so far`),
		limit: Limit('What the plan includes a month'),
		remaining: Limit('What is left of it'),
		overage: Count('What was used beyond the limit; 0 where the plan has no overages'),
		projected: Nullable(Count('Expected use'), {
			description:
				'What will have been used when the month ends, if it goes on as it went since the month began, or since the ' +
				'account was made where that is later. No limit is applied to it. null within the first day of that time',
		}),
	});

/** What an account has used, whichever of its keys asks. */
const AccountUsage = Type.Object({
	month: Type.String({ pattern: '^\\d{4}-\\d{2}$', description: 'The month, in UTC', examples: ['2026-11'] }),
	resets_at: Timestamp('When the month ends, and its counts begin anew'),
	package: Type.String({ description: 'Name of the plan as it is now' }),
	overages_enabled: Type.Boolean({ description: 'Whether more than the monthly limits is served' }),
	requests: MonthlyUsage('Requests that were let through'),
	bookings: MonthlyUsage('Bookings made, also those that were cancelled or deleted since'),
	services: Type.Object({
		used: Count('Services that there are now'),
		limit: Limit('Services that the plan allows'),
		remaining: Limit('What is left of it'),
	}),
});
export type AccountUsage = Static<typeof AccountUsage>;

export const Usage = Type.Object({
	...AccountUsage.properties,
	scopes: Type.Array(Type.Union([Type.Literal('read'), Type.Literal('write')]), {
		description: 'What the key of this request may do',
	}),
});
export type Usage = Static<typeof Usage>;
