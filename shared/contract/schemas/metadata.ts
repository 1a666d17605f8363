import { Nullable, type Static, Text, Type } from './schema.ts';

const MAX_KEYS = 50;
const Value = Text(500);
const keys = { propertyNames: { type: 'string', format: 'text', minLength: 1, maxLength: 40 } };

/** What clients keep beside a service or a booking, by keys of their own. `mergeMetadata` has the limits of all of it. */
export const Metadata = Type.Unsafe<Record<string, string>>({
	type: 'object',
	additionalProperties: Value,
	...keys,
	maxProperties: MAX_KEYS,
	description:
		'Texts of your own by keys of your own: at most 50 keys of 1 to 40 characters, without a `.` and a leading `$`, each ' +
		'with at most 500 characters, and 4 KiB together',
	examples: [{ order: 'A-1042' }],
});
export type Metadata = Static<typeof Metadata>;

export const MetadataChange = Type.Unsafe<Record<string, string | null>>({
	type: 'object',
	additionalProperties: Nullable(Value),
	...keys,
	description: 'Keys to set, each with its text; `null` removes a key, and what is not named stays',
	examples: [{ order: 'A-1042', invoice: null }],
});
export type MetadataChange = Static<typeof MetadataChange>;

/** Of all keys together; bytes of keys and texts as UTF-8 */
export const METADATA_LIMITS = { keys: MAX_KEYS, bytes: 4096 } as const;
