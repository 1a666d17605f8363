import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { createConnection, Schema } from 'mongoose';
import { Database, databaseFile } from '../../../shared/store/embedded/database.ts';
import { shapeOf } from '../../../shared/store/embedded/shape.ts';
import { Table } from '../../../shared/store/embedded/table.ts';
import { schemaOptions } from '../../../shared/store/model.ts';
import { openStore } from '../../../shared/store/open-store.ts';
import { prepareModels } from '../../../shared/store/prepare-models.ts';
import { temporaryDirectory } from '../stores.ts';
import { fill, type Thing, thing, thingModel } from '../thing.ts';

const directory = temporaryDirectory();

afterEach(() => {
	jest.restoreAllMocks();
});

/** With all that a column must tell apart */
const DOCUMENTS: Thing[] = [
	thing(1, { name: null, rank: 0, active: false, tags: [], events: [{ id: 'a', n: 1 }], data: null }),
	thing(2, {
		name: 'a\u0000b',
		rank: -1.5,
		active: true,
		person: { email: null, level: 3 },
		data: { deep: ['\u0000', '😀'] },
	}),
	thing(3, { name: '', rank: null, active: null, person: {}, data: 'text' }),
	thing(4, { data: 0 }),
];

/** A store as the format before this one left it: each document as text, and a column for each indexed field. */
function storedAsText(dataDir: string): void {
	const database = new Database(dataDir);
	database.exec(`
		CREATE TABLE things (_id NOT NULL PRIMARY KEY, doc TEXT NOT NULL, "key");
		CREATE UNIQUE INDEX "things.key_1" ON things ("key");
		CREATE TABLE "slotwise.indexes"
			(collection TEXT NOT NULL, name TEXT NOT NULL, definition TEXT NOT NULL, PRIMARY KEY (collection, name));
		PRAGMA user_version = 2;
	`);
	const index = JSON.stringify({ name: 'key_1', key: [['key', 1]], unique: true });
	database.run('INSERT INTO "slotwise.indexes" VALUES (?, ?, ?)', 'things', 'key_1', index);
	for (const document of DOCUMENTS) {
		database.run('INSERT INTO things VALUES (?, ?, ?)', document._id, JSON.stringify(document), document.key);
	}
	database.close();
}

function hasIndexOfIds(database: Database): boolean {
	return database.all("SELECT name FROM pragma_index_list('things')").flat().includes('sqlite_autoindex_things_1');
}

describe('documents as columns', () => {
	test('When fields are null, missing, empty, or hold U+0000, then they are read as they were written', async () => {
		const dataDir = directory();
		for (const open of ['written', 'opened anew']) {
			const store = await openStore({ form: 'embedded', dataDir });
			const things = thingModel(store.connection);
			await prepareModels([things]);
			if (open === 'written') await fill(things, DOCUMENTS);
			expect(await things.find({}).sort({ _id: 1 }).lean()).toEqual(DOCUMENTS);
			const named = await things.find({}, { name: 1, data: 1 }).sort({ _id: 1 }).lean();
			expect(named.map((one) => 'name' in one)).toEqual([true, true, true, false]);
			await store.close();
		}
	});

	test('When a field is unset and set again, then it is missing in between', async () => {
		const store = await openStore({ form: 'embedded', dataDir: directory() });
		const things = thingModel(store.connection);
		await fill(things, DOCUMENTS);
		await things.updateMany({}, { $unset: { rank: 1, data: 1 } });
		expect(await things.countDocuments({ rank: { $exists: true } })).toBe(0);
		expect(await things.countDocuments({ rank: null })).toBe(4);
		await things.updateOne({ _id: 4 }, { $set: { rank: null, data: 7 } });
		expect(await things.findOne({ _id: 4 }).lean()).toEqual(thing(4, { rank: null, data: 7 }));
		await store.close();
	});

	test('When the file has documents as text, then it is brought forward as it is opened, indexes included', async () => {
		const dataDir = directory();
		storedAsText(dataDir);
		const store = await openStore({ form: 'embedded', dataDir });
		const things = thingModel(store.connection);
		await prepareModels([things]);
		expect(await things.find({}).sort({ _id: 1 }).lean()).toEqual(DOCUMENTS);
		await expect(things.insertMany([thing(9, { key: 'k1' })], { lean: true })).rejects.toMatchObject({ code: 11_000 });
		await store.close();
	});

	test('When its ids have an index of their own, as in the format before, then they are the rows’ own from now on', async () => {
		const dataDir = directory();
		const { fields } = shapeOf(thingModel(createConnection()).schema);
		const database = new Database(dataDir);
		const table = new Table(database, 'things', { fields, isNumbered: false });
		for (const document of DOCUMENTS) table.insert(document as never);
		expect(hasIndexOfIds(database)).toBe(true);
		database.close();
		const store = await openStore({ form: 'embedded', dataDir });
		const things = thingModel(store.connection);
		await prepareModels([things]);
		expect(await things.find({}).sort({ _id: 1 }).lean()).toEqual(DOCUMENTS);
		await expect(things.insertMany([thing(1, { key: 'new' })], { lean: true })).rejects.toMatchObject({
			code: 11_000,
		});
		await store.close();
		const after = new Database(dataDir);
		expect(hasIndexOfIds(after)).toBe(false);
		after.close();
	});

	test('When bringing it forward fails in the middle, then the file is as it was, and the next start does it', async () => {
		const dataDir = directory();
		storedAsText(dataDir);
		const store = await openStore({ form: 'embedded', dataDir });
		const things = thingModel(store.connection);
		const { exec } = Database.prototype;
		jest.spyOn(Database.prototype, 'exec').mockImplementation(function (this: Database, sql) {
			if (sql.startsWith('DROP TABLE')) throw new Error('it fails here');
			exec.call(this, sql);
		});
		await expect((async () => things.countDocuments({}))()).rejects.toThrow();
		jest.restoreAllMocks();
		await store.close();
		const again = await openStore({ form: 'embedded', dataDir });
		expect(await thingModel(again.connection).find({}).sort({ _id: 1 }).lean()).toEqual(DOCUMENTS);
		await again.close();
	});

	test('When a schema gets a field and loses one, then no document loses anything', async () => {
		const dataDir = directory();
		const model = async (fields: object) => {
			const store = await openStore({ form: 'embedded', dataDir });
			const rows = store.connection.model<Record<string, unknown>>(
				'rows',
				new Schema({ _id: Number, ...fields }, schemaOptions),
				'rows',
			);
			return { store, rows };
		};
		const before = await model({ a: Number, b: [String] });
		await before.rows.insertMany([
			{ _id: 1, a: 1, b: ['x'] },
			{ _id: 2, a: null },
		]);
		await before.store.close();
		const after = await model({ a: Number, c: { type: String, default: undefined } });
		const raw = () => after.rows.collection.find({}, { sort: { _id: 1 } }).toArray();
		expect(await raw()).toEqual([
			{ _id: 1, a: 1, b: ['x'] },
			{ _id: 2, a: null, b: [] },
		]);
		await after.rows.updateOne({ _id: 2 }, { $set: { c: 'new' } });
		expect(await raw()).toEqual([
			{ _id: 1, a: 1, b: ['x'] },
			{ _id: 2, a: null, b: [], c: 'new' },
		]);
		await after.store.close();
		const sqlite = new DatabaseSync(join(dataDir, databaseFile));
		const names = sqlite
			.prepare("SELECT name FROM pragma_table_info('rows')")
			.all()
			.map(({ name }) => name);
		expect(names).toEqual(['_id', 'a', 'c', ':others', ':absent']);
		sqlite.close();
	});

	test.each(['doc', 'rowid', 'OID', '_rowid_', 'Key'])(
		'When a field has the name %s, which a table has for itself, then it is kept and found like any other',
		async (name) => {
			const store = await openStore({ form: 'embedded', dataDir: directory() });
			const schema = new Schema({ _id: Number, key: String, [name]: String }, schemaOptions);
			const rows = store.connection.model('rows', schema, 'rows');
			await prepareModels([rows]);
			await rows.insertMany([
				{ _id: 1, key: 'a', [name]: 'x' },
				{ _id: 2, key: 'b', [name]: 'y' },
			]);
			await rows.collection.createIndex({ [name]: 1 });
			await rows.updateOne({ [name]: 'y' }, { $set: { [name]: 'z' } });
			expect(await rows.find({ [name]: 'z' }).lean()).toEqual([{ _id: 2, key: 'b', [name]: 'z' }]);
			expect(
				await rows
					.find({})
					.sort({ [name]: 1 })
					.lean(),
			).toMatchObject([{ _id: 1 }, { _id: 2 }]);
			await store.close();
		},
	);
});
