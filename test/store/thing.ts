import { type Connection, type Model, Schema } from 'mongoose';
import { schemaOptions } from '../../shared/store/model.ts';

/** A document with every kind of field that the product's models have. */
export interface Thing {
	_id: number;
	account_id: string;
	/** Unique */
	key: string;
	/** Unique together with `account_id` */
	sequence: string;
	name?: string | null;
	rank?: number | null;
	active?: boolean | null;
	person?: { email?: string | null; level?: number };
	tags?: string[];
	events?: { id: string; n: number }[];
	data?: unknown;
	version: number;
}

const part = { ...schemaOptions, _id: false };

const schema = new Schema<Thing>(
	{
		_id: { type: Number, required: true },
		account_id: { type: String, required: true },
		key: { type: String, required: true },
		sequence: { type: String, required: true },
		name: String,
		rank: Number,
		active: Boolean,
		person: { email: String, level: Number },
		tags: { type: [String], default: undefined },
		events: { type: [new Schema({ id: String, n: Number }, part)], default: undefined },
		data: Schema.Types.Mixed,
		version: { type: Number, default: 1 },
	},
	schemaOptions,
);
schema.index({ key: 1 }, { unique: true });
schema.index({ account_id: 1, sequence: 1 }, { unique: true, name: 'sequence' });
schema.index({ account_id: 1, _id: 1 });
schema.index({ rank: 1, name: -1 });
schema.index({ account_id: 1, rank: 1 }, { name: 'ranked', partialFilterExpression: { rank: { $gt: 0 } } });
schema.index(
	{ sequence: 1, version: 1 },
	{ name: 'once', unique: true, partialFilterExpression: { rank: { $gt: 0 } } },
);
schema.index({ active: 1, 'person.level': 1, _id: -1 });
schema.index(
	{ 'person.email': 1, _id: 1 },
	{ name: 'reachable', unique: true, partialFilterExpression: { 'person.email': { $gt: '' } } },
);

export type ThingModel = Model<Thing>;

export function thingModel(connection: Connection, collection = 'things'): ThingModel {
	return connection.model<Thing>(collection, schema, collection);
}

/** A document with the fields that are required, and those given. */
export function thing(_id: number, fields: Partial<Thing> = {}): Thing {
	return { _id, account_id: 'acc_1', key: `k${_id}`, sequence: `s${_id}`, version: 1, ...fields };
}

/** Writes documents as they are, without defaults. */
export async function fill(model: ThingModel, documents: Thing[]): Promise<void> {
	await model.deleteMany({});
	if (documents.length > 0) await model.insertMany(documents, { lean: true });
}

/** The `_id`s of documents, in their order. */
export function ids(documents: { _id: number }[]): number[] {
	return documents.map(({ _id }) => _id);
}
