import { type Static, type TSchema, type TSchemaOptions, Type } from 'typebox';

/**
 * The vocabulary of the API's schemas. A schema is written once, as JSON Schema: the types come from it, the gateway's
 * validators are compiled from it, and the API reference shows it.
 */
export type { Static, TSchema };
export { Type };

/** `null` means "not set". */
export const Nullable = <T extends TSchema>(schema: T, options: TSchemaOptions = {}) =>
	Type.Union([schema, Type.Null()], options);

/** Integers that JSON carries exactly: 1 to 2^53-1. */
export const Id = (description: string) =>
	Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description, examples: [1] });

/**
 * A text: no control characters but tab, newline and carriage return, no lone surrogates.
 * @param maxLength in Unicode code points
 */
export const Text = (
	maxLength: number,
	options: { minLength?: number; description?: string; examples?: string[] } = {},
) => Type.String({ format: 'text', maxLength, ...options });

/** A text with at least one visible character. */
export const Name = (maxLength: number, options: { description?: string; examples?: string[] } = {}) =>
	Type.String({ format: 'name', minLength: 1, maxLength, ...options });

const versionIs = (description: string) => Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description });

export const Version = versionIs('Grows by 1 with each change');

/** What a change was made from: the record must still be at this version. */
export const ExpectedVersion = versionIs('Must be the current one: 409');

export const PlainDate = (description: string) =>
	Type.String({ format: 'date', description, examples: ['2027-01-04'] });

/** Wall-clock time in the service's time zone, `YYYY-MM-DD HH:MM:SS`. */
export const LocalDateTime = (description: string) =>
	Type.String({ format: 'local-date-time', description, examples: ['2026-01-05 09:00:00'] });

/** ISO 8601 UTC with milliseconds. */
export const Timestamp = (description: string) =>
	Type.String({ format: 'date-time', description, examples: ['2026-11-21T09:30:00.000Z'] });

/** ISO 8601 with an offset. */
export const Moment = (description: string) =>
	Type.String({
		description: `${description}, ISO 8601 with the service's offset on that date`,
		examples: ['2027-01-04T09:00:00+01:00'],
	});

export const Email = (description: string) =>
	Type.String({ format: 'email', maxLength: 254, description, examples: ['ada@example.com'] });

/** E.164: `+`, then 2 to 15 digits, the first not 0. */
export const Phone = (description: string) =>
	Type.String({ format: 'e164', pattern: '^\\+[1-9][0-9]{1,14}$', description, examples: ['+15550100'] });
