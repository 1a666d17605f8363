import { mongo } from 'mongoose';
import MongooseCollection from 'mongoose/lib/collection.js';
import { Slices } from '../../work/long-work.ts';
import { changeOf } from './commit/changes.ts';
import type { Write } from './commit/group-commit.ts';
import * as writes from './commit/writes.ts';
import type { EmbeddedConnection } from './connection.ts';
import { countDocuments } from './query/count.ts';
import { FindCursor } from './query/find-cursor.ts';
import { groupCount, groupOf } from './query/groups.ts';
import { type Document, type JsonObject, toJson } from './query/json-value.ts';
import { fieldsAsked, type Options, projector, rejectOptions, selectionOf } from './query/options.ts';
import { asOfNow, scan } from './query/scan.ts';
import { Watch } from './query/watch.ts';
import type { Index, Part } from './shape.ts';
import type { Stored, Table } from './table.ts';

/** The methods of a MongoDB collection that mongoose calls for what our models do. Every other one throws by its name. */
export class EmbeddedCollection extends MongooseCollection {
	declare conn: EmbeddedConnection;

	/** mongoose looks for the driver's own collection here. */
	get collection(): this {
		return this;
	}

	find(filter: object = {}, options: Options = {}): FindCursor {
		const slices = new Slices();
		const selection = { ...selectionOf(filter, options), fields: fieldsAsked(options.projection) };
		const table = this.#open();
		const found = scan(table, selection, slices);
		const accounts = accountsOf(selection.filter);
		const whole = {
			watch: () => new Watch(table),
			asOfNow: (all: Stored[], watch: Watch) => asOfNow(all, selection, watch),
		};
		const isWhole = selection.limit === 0 && selection.skip === 0;
		const project = told(options.projection, selection.fields);
		return new FindCursor(found, project, () => this.conn.told(accounts), slices, isWhole ? whole : undefined);
	}

	async findOne(filter: object, options: Options = {}): Promise<Document | null> {
		return this.find(filter, { ...options, limit: 1 }).next();
	}

	async countDocuments(filter: object = {}, options: Options = {}): Promise<number> {
		const selection = selectionOf(filter, options);
		const count = await countDocuments(this.#open(), selection);
		await this.conn.told(accountsOf(selection.filter));
		return count;
	}

	aggregate(pipeline: unknown): { toArray(): Promise<Document[]> } {
		const toArray = async (): Promise<Document[]> => {
			const group = groupOf(pipeline);
			const counts = await groupCount(this.#open(), group);
			await this.conn.told(accountsOf(group.filter));
			return counts;
		};
		return { toArray };
	}

	async insertOne(document: object, options: Options = {}): Promise<object> {
		rejectOptions(options);
		const plain = toJson(document) as Document;
		const [refused] = await this.#write((table) => writes.insertDocuments(table, [plain], true));
		if (refused) throw refused.error;
		return { acknowledged: true, insertedId: plain._id };
	}

	async insertMany(documents: object[], options: Options = {}): Promise<object> {
		rejectOptions(options);
		const plain = documents.map((document) => toJson(document) as Document);
		const refused = await this.#write((table) => writes.insertDocuments(table, plain, options.ordered !== false));
		if (refused.length > 0) throw writes.bulkWriteError(refused, plain, options.ordered !== false);
		return {
			acknowledged: true,
			insertedCount: plain.length,
			insertedIds: Object.fromEntries(plain.map(({ _id }, index) => [index, _id])),
		};
	}

	async updateOne(filter: object, update: object, options: Options = {}): Promise<object> {
		const [selection, change] = [selectionOf(filter, options), changeOf(update)];
		const { matched, modified } = await this.#write((table) => writes.updateFirst(table, selection, change));
		return updateResult(matched, modified);
	}

	async updateMany(filter: object, update: object, options: Options = {}): Promise<object> {
		const [selection, change] = [selectionOf(filter, options), changeOf(update)];
		const { matched, modified } = await this.#write((table) => writes.updateAll(table, selection.filter, change));
		return updateResult(matched, modified);
	}

	async findOneAndUpdate(filter: object, update: object, options: Options = {}): Promise<object | null> {
		const [selection, change] = [selectionOf(filter, options), changeOf(update)];
		const updated = await this.#write((table) => writes.findAndUpdate(table, selection, change));
		const asked = options.returnDocument === 'after' ? updated?.after : updated?.before;
		const value = asked ? projector(options.projection)(asked) : null;
		return options.includeResultMetadata
			? { value, ok: 1, lastErrorObject: { updatedExisting: value !== null } }
			: value;
	}

	async deleteOne(filter: object, options: Options = {}): Promise<object> {
		const selection = selectionOf(filter, options);
		const deletedCount = await this.#write((table) => writes.deleteFirst(table, selection));
		return { acknowledged: true, deletedCount };
	}

	async deleteMany(filter: object, options: Options = {}): Promise<object> {
		const selection = selectionOf(filter, options);
		const deletedCount = await this.#write((table) => writes.deleteAll(table, selection.filter));
		return { acknowledged: true, deletedCount };
	}

	async createIndex(key: Record<string, unknown>, options: Options = {}): Promise<string> {
		const { unique = false, name, partialFilterExpression, background: _, ...others } = options;
		if (Object.keys(others).length > 0)
			throw new Error(`the embedded store has no index option ${Object.keys(others)}`);
		const columns = Object.entries(key).map(([path, direction]) => {
			if (direction !== 1 && direction !== -1) throw new Error(`the embedded store has no index of kind ${direction}`);
			return [path, direction] as [string, 1 | -1];
		});
		const index: Index = {
			name: name ?? columns.flat().join('_'),
			key: columns,
			unique: Boolean(unique),
			...(partialFilterExpression === undefined ? {} : { part: this.#partOf(partialFilterExpression, columns) }),
		};
		await this.#write((table) => once(() => table.createIndex(index)));
		return index.name;
	}

	/** @throws MongoServerError with code 27 where it is not there */
	async dropIndex(name: string): Promise<void> {
		await this.#write((table) => once(() => table.dropIndex(name)));
	}

	listIndexes(): { toArray(): Promise<object[]> } {
		const { indexes } = this.#open();
		const listed = indexes.map(({ name, key, unique, part }) => ({
			v: 2,
			key: Object.fromEntries(key),
			name,
			...(unique && name !== '_id_' ? { unique } : {}),
			...(part === undefined ? {} : { partialFilterExpression: { [part.path]: { $gt: part.above } } }),
		}));
		return { toArray: async () => listed };
	}

	/** Of `{ path: { $gt: 0 } }` or `''`, the one kind of partial index there is. @throws Error for every other */
	#partOf(expression: object, key: Index['key']): Part {
		const [[path = '', condition] = [], ...others] = Object.entries(expression);
		const [[operator, above] = [], ...more] = Object.entries((condition ?? {}) as object);
		const isKnown = others.length + more.length === 0 && operator === '$gt' && (above === 0 || above === '');
		const hasColumn = this.#open().columns.isScalar(path) || key.some(([indexed]) => indexed === path);
		if (isKnown && hasColumn) return { path, above };
		throw new Error('the embedded store has no partial index but of a scalar that is above 0, or above the empty text');
	}

	#open(): Table {
		return this.conn.openTable(this.name);
	}

	/** The write's result after it is on the disk; in `untold` work after its commit. */
	#write<T>(write: (table: Table) => Write<T>): Promise<T> {
		return this.conn.write(write(this.#open()));
	}
}

for (const name of Object.getOwnPropertyNames(mongo.Collection.prototype)) {
	const descriptor = Object.getOwnPropertyDescriptor(mongo.Collection.prototype, name);
	if (Object.hasOwn(EmbeddedCollection.prototype, name) || typeof descriptor?.value !== 'function') continue;
	Object.defineProperty(EmbeddedCollection.prototype, name, {
		value: () => {
			throw new Error(`the embedded store has no ${name}()`);
		},
	});
}

function* once(act: () => void): Write<void> {
	yield 1;
	act();
}

function updateResult(matchedCount: number, modifiedCount: number): object {
	return { acknowledged: true, matchedCount, modifiedCount, upsertedCount: 0, upsertedId: null };
}

/** What a projection leaves of a document: all of it, where no more was read. */
function told(projection: unknown, fields: readonly string[] | undefined): (stored: Stored) => Document {
	let project: ((document: Document) => Document) | undefined;
	return ({ document, layout }) => {
		if (fields !== undefined && layout.fields === fields) return document;
		project ??= projector(projection);
		return project(document);
	};
}

/** The accounts whose documents alone a filter finds; undefined where it may find anybody's. */
function accountsOf({ account_id }: JsonObject): readonly string[] | undefined {
	if (typeof account_id === 'string') return [account_id];
	const { $in } = (account_id ?? {}) as { $in?: unknown };
	return Array.isArray($in) && $in.every((one) => typeof one === 'string') ? $in : undefined;
}
