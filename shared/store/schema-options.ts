/**
 * Options of every schema, so that a document is the same in both forms of the store.
 *
 * - `strict` and `strictQuery` throw: a field that the schema does not have is a bug, in a document and in a filter.
 * - no `__v`, no virtual `id`, and empty objects are kept: what is written is what is read.
 * - indexes and collections are made by `prepareModels` before any traffic (promise L9), never in the background.
 *
 * A schema has no `Date`: times are ISO 8601 strings or integer milliseconds. `_id` is a number or a string and is
 * declared; sub-schemas take `{ ...schemaOptions, _id: false }`.
 */
export const schemaOptions = {
	strict: 'throw',
	strictQuery: 'throw',
	versionKey: false,
	minimize: false,
	id: false,
	autoIndex: false,
	autoCreate: false,
	timestamps: false,
} as const;
