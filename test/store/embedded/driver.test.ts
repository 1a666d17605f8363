import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Schema } from 'mongoose';
import { schemaOptions } from '../../../shared/store/model.ts';
import { openStore } from '../../../shared/store/open-store.ts';
import { prepareModels } from '../../../shared/store/prepare-models.ts';
import type { Store } from '../../../shared/store/store.ts';
import { isUnavailable } from '../../../shared/store/write-errors.ts';
import { temporaryDirectory } from '../stores.ts';
import { fill, type Thing, type ThingModel, thing, thingModel } from '../thing.ts';

describe('the embedded driver', () => {
	const directory = temporaryDirectory();
	let dataDir: string;
	let store: Store;
	let things: ThingModel;
	beforeAll(async () => {
		dataDir = directory();
		store = await openStore({ form: 'embedded', dataDir });
		things = thingModel(store.connection);
		await prepareModels([things]);
		await fill(things, [thing(1)]);
	});
	afterAll(() => store.close());

	test.each<[string, () => unknown]>([
		['bulkWrite()', () => things.bulkWrite([{ deleteOne: { filter: { _id: 1 } } }])],
		['distinct()', () => things.distinct('key')],
		['replaceOne()', () => things.replaceOne({ _id: 1 }, thing(1))],
		['findOneAndDelete()', () => things.findOneAndDelete({ _id: 1 })],
		['estimatedDocumentCount()', () => things.estimatedDocumentCount()],
		['upsert', () => things.updateOne({ _id: 7 }, { $set: { name: 'x' } }, { upsert: true })],
		['collation', () => things.find({}).collation({ locale: 'de' }).lean()],
		['$setOnInsert', () => things.updateOne({ _id: 1 }, { $setOnInsert: { name: 'x' } })],
		['$rename', () => things.updateOne({ _id: 1 }, { $rename: { name: 'x' } })],
		['positional', () => things.updateOne({ tags: 'a' }, { $set: { 'tags.$': 'x' } })],
		['pipeline', () => things.updateOne({ _id: 1 }, [{ $set: { name: 'x' } }], { updatePipeline: true })],
		['aggregates', () => things.aggregate([{ $match: {} }, { $project: { key: 1 } }])],
		['$where', () => things.find({ $where: 'true' } as never).lean()],
		['index option sparse', () => things.collection.createIndex({ name: 1 }, { sparse: true })],
		['partial', () => things.collection.createIndex({ name: 1 }, { partialFilterExpression: { name: { $gt: 'a' } } })],
		['index of kind text', () => things.collection.createIndex({ name: 'text' })],
	])('When %s is asked for, then it throws and says so, and changes nothing', async (name, act) => {
		const words = name.replace(/[()]/g, '').split(' ').at(-1)!.replace('$', '\\$');
		await expect((async () => act())()).rejects.toThrow(new RegExp(words));
		expect(await things.find({}).lean()).toEqual([thing(1)]);
	});

	test.each<[string, unknown]>([
		['a Date', new Date(0)],
		['a buffer', Buffer.from('x')],
		['NaN', { deep: Number.NaN }],
		['a Map', new Map()],
		['a bigint', 1n],
	])('When a document holds %s, then the write is refused with the path', async (_, data) => {
		await expect(things.insertMany([thing(2, { data })], { lean: true })).rejects.toThrow(/data.* is not JSON/);
		expect(await things.countDocuments({})).toBe(1);
	});

	test('When a scalar or an indexed field holds a list, then the write is refused: its entries would not be found', async () => {
		const document = { ...thing(2), rank: [1, 2] } as unknown as Thing;
		await expect(things.insertMany([document], { lean: true })).rejects.toThrow('rank must be a scalar');
		const nested = { ...thing(2), person: [{ level: 1 }] } as unknown as Thing;
		await expect(things.insertMany([nested], { lean: true })).rejects.toThrow('person.level is indexed');
	});

	test('When a field of a unique index is missing or null, then the write is refused: MongoDB takes null once', async () => {
		for (const key of [undefined, null]) {
			const document = { ...thing(2), key } as unknown as Thing;
			await expect(things.insertMany([document], { lean: true })).rejects.toThrow('key is unique and must be set');
		}
		await expect(things.updateOne({ _id: 1 }, { $unset: { key: 1 } })).rejects.toThrow('key is unique');
	});

	test('When an index is made over lists, then it is refused', async () => {
		await fill(things, [thing(1, { tags: ['a'] })]);
		await expect(things.collection.createIndex({ tags: 1 })).rejects.toThrow('tags is indexed and must be a scalar');
		await fill(things, [thing(1)]);
	});

	test('When _id is neither number nor text, then the write is refused', async () => {
		const rows = store.connection.model('odd', new Schema({ _id: Schema.Types.Mixed }, schemaOptions), 'odd');
		for (const _id of [null, true, [1]]) {
			await expect(rows.insertMany([{ _id }], { lean: true })).rejects.toThrow('_id is neither');
		}
	});

	test('When texts and numbers are _ids, then they stay what they are', async () => {
		const schema = new Schema<{ _id: unknown }>({ _id: Schema.Types.Mixed }, schemaOptions);
		const rows = store.connection.model<{ _id: unknown }>('mixed', schema, 'mixed');
		await rows.insertMany([{ _id: 1 }, { _id: '1' }, { _id: '1.0' }, { _id: 2 ** 53 - 1 }], { lean: true });
		expect((await rows.find({ _id: 1 }).lean()).map(({ _id }) => _id)).toEqual([1]);
		expect((await rows.find({ _id: '1' }).lean()).map(({ _id }) => _id)).toEqual(['1']);
		expect((await rows.find({ _id: 2 ** 53 - 1 }).lean()).map(({ _id }) => _id)).toEqual([2 ** 53 - 1]);
	});

	test('When undefined is written or asked for, then it is null, as on MongoDB', async () => {
		await things.insertMany([{ ...thing(3), name: undefined }], { lean: true });
		expect(await things.findOne({ _id: 3 }).lean()).toEqual({ ...thing(3), name: null });
		await things.deleteOne({ _id: 3 });
	});

	test('When a document is changed after it was given, then the store keeps what was given', async () => {
		const document = thing(4, { tags: ['a'] });
		const writing = things.collection.insertMany([document] as never);
		document.tags?.push('b');
		await writing;
		const read = await things.findOne({ _id: 4 }).lean();
		expect(read?.tags).toEqual(['a']);
		read?.tags?.push('c');
		expect((await things.findOne({ _id: 4 }).lean())?.tags).toEqual(['a']);
		await things.deleteOne({ _id: 4 });
	});

	test('When the store is closed, then running writes end, and later calls are unavailable', async () => {
		const other = await openStore({ form: 'embedded', dataDir: directory() });
		const theirs = thingModel(other.connection);
		await prepareModels([theirs]);
		const writes = Promise.all([1, 2, 3].map((_id) => theirs.collection.insertOne(thing(_id) as never)));
		const closing = other.close();
		await expect(writes).resolves.toHaveLength(3);
		await closing;
		for (const call of [() => theirs.findOne({ _id: 1 }).lean(), () => theirs.insertMany([thing(9)], { lean: true })]) {
			const error = await (async () => call())().then(
				() => undefined,
				(failure) => failure,
			);
			expect(isUnavailable(error)).toBe(true);
		}
		await expect(other.ping()).rejects.toThrow('closed');
	});

	test('When a store is opened again, then documents and indexes are there', async () => {
		const again = directory();
		const first = await openStore({ form: 'embedded', dataDir: again });
		await prepareModels([thingModel(first.connection)]);
		await fill(thingModel(first.connection), [thing(1, { rank: 5 })]);
		await first.close();
		const second = await openStore({ form: 'embedded', dataDir: again });
		const theirs = thingModel(second.connection);
		expect(await theirs.findOne({ rank: 5 }).lean()).toEqual(thing(1, { rank: 5 }));
		expect(await theirs.listIndexes()).toHaveLength(9);
		await expect(theirs.insertMany([thing(2, { key: 'k1' })], { lean: true })).rejects.toMatchObject({ code: 11_000 });
		await second.close();
	});
});
