import { type Connection, type IndexDefinition, type Model, Schema } from 'mongoose';
import { accountScope } from './account-scope.ts';

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

/** Fields that every document has. */
export const text = { type: String, required: true } as const;
export const number = { type: Number, required: true } as const;

/** By name; the paths of each in order. */
type Indexes<Row> = Record<string, { [path in keyof Row]?: 1 | -1 } | { [path: `${string}.${string}`]: 1 | -1 }>;

interface Definition<Row> {
	fields: ConstructorParameters<typeof Schema<Row>>[0];
	unique?: Indexes<Row>;
	indexes?: Indexes<Row>;
	/** Each with what it is about: it has entries only of rows where the value at a path is above 0, or the empty text */
	partial?: Record<string, { key: Indexes<Row>[string]; above: Record<string, 0 | ''> }>;
	/** What keeps its rows to their accounts, and what else holds for each operation; none where rows are nobody's */
	plugins?: ((schema: Schema) => void)[];
	/**
	 * False where nothing that anybody is told rests on a row alone, as on a counter's: who takes a number writes what he took
	 * it for, and that is on the disk only after the number. So nobody waits for the disk because of such rows.
	 */
	isTold?: boolean;
}

/** How the model of a collection is made on a connection. */
export function modelOf<Row>(name: string, collection: string, definition: Definition<Row>) {
	const { fields, unique = {}, indexes = {}, partial = {}, plugins = [accountScope], isTold = true } = definition;
	const schema = new Schema<Row>(fields, schemaOptions);
	schema.set('isTold' as never, isTold as never);
	for (const [name, key] of Object.entries(unique)) schema.index(key as IndexDefinition, { name, unique: true });
	for (const [name, key] of Object.entries(indexes)) schema.index(key as IndexDefinition, { name });
	for (const [name, { key, above }] of Object.entries(partial)) {
		const about = Object.entries(above).map(([path, floor]) => [path, { $gt: floor }]);
		schema.index(key as IndexDefinition, { name, partialFilterExpression: Object.fromEntries(about) });
	}
	for (const plugin of plugins) schema.plugin(plugin as never);
	return (connection: Connection): Model<Row> => connection.model<Row>(name, schema, collection);
}
