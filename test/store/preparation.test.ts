import { beforeAll, describe, expect, test } from '@jest/globals';
import { Schema } from 'mongoose';
import { schemaOptions } from '../../shared/store/model.ts';
import { prepareModels } from '../../shared/store/prepare-models.ts';
import type { Store } from '../../shared/store/store.ts';
import { onBothForms } from './stores.ts';
import { thing, thingModel } from './thing.ts';

interface Row {
	_id: number;
	key: string;
	other: string;
}

onBothForms('preparing models', (open) => {
	let store: Store;
	let collections = 0;
	beforeAll(async () => {
		store = await open();
	});

	/** A model of a collection of its own. */
	const model = (
		key: Record<string, 1 | -1>,
		options: { unique?: boolean; name?: string; partialFilterExpression?: object },
		collection?: string,
	) => {
		const name = collection ?? `rows${++collections}`;
		const schema = new Schema<Row>({ _id: Number, key: String, other: String }, schemaOptions);
		schema.index(key, options);
		if (store.connection.models[name]) store.connection.deleteModel(name);
		return store.connection.model<Row>(name, schema, name);
	};

	test('L9: When models are prepared, then their indexes are there, and once more changes nothing', async () => {
		const things = thingModel(store.connection);
		await prepareModels([things]);
		await prepareModels([things]);
		const indexes = (await things.listIndexes()) as { name: string; key: object; unique?: boolean }[];
		expect(indexes.map(({ name, unique }) => (unique ? `${name} unique` : name)).sort()).toEqual([
			'_id_',
			'account_id_1__id_1',
			'active_1_person.level_1__id_-1',
			'key_1 unique',
			'once unique',
			'rank_1_name_-1',
			'ranked',
			'reachable unique',
			'sequence unique',
		]);
		expect(indexes.find(({ name }) => name === 'sequence')?.key).toEqual({ account_id: 1, sequence: 1 });
	});

	test('L9: When an index is missing, then it throws and names collection and index', async () => {
		const rows = model({ key: 1 }, { unique: true }, 'lacking');
		rows.createIndexes = async () => {};
		await expect(prepareModels([rows])).rejects.toThrow('collection lacking lacks unique {"key":1}');
	});

	test('L9: When an index is there but lacks documents, then it throws', async () => {
		const part = model({ key: 1 }, { partialFilterExpression: { key: { $gt: 0 } } }, 'partial');
		await prepareModels([part]);
		await prepareModels([part]);
		const whole = model({ key: 1 }, {}, 'partial');
		whole.createIndexes = async () => {};
		await expect(prepareModels([whole])).rejects.toThrow('lacks {"key":1}');
	});

	test('L9: When an index is there but not unique, then it throws', async () => {
		const rows = model({ key: 1 }, {}, 'plain');
		await prepareModels([rows]);
		const unique = model({ key: 1 }, { unique: true }, 'plain');
		await expect(prepareModels([unique])).rejects.toThrow(Error);
		unique.createIndexes = async () => {};
		await expect(prepareModels([unique])).rejects.toThrow('lacks unique {"key":1}');
	});

	test('L9: When an index of that name has other columns, then it throws', async () => {
		await prepareModels([model({ key: 1 }, { name: 'chosen' }, 'named')]);
		await expect(prepareModels([model({ other: 1 }, { name: 'chosen' }, 'named')])).rejects.toThrow(Error);
	});

	test('L9: When the order of columns differs, then it is another index', async () => {
		const rows = model({ key: 1, other: 1 }, {}, 'ordered');
		await prepareModels([rows]);
		const turned = model({ other: 1, key: 1 }, {}, 'ordered');
		turned.createIndexes = async () => {};
		await expect(prepareModels([turned])).rejects.toThrow('lacks {"other":1,"key":1}');
	});

	test('When several processes prepare one collection at once, then all succeed', async () => {
		const stores = store.form === 'cluster' ? [store, await open(), await open()] : [store, store, store];
		await Promise.all(stores.map(({ connection }) => prepareModels([thingModel(connection, 'together')])));
		const things = thingModel(store.connection, 'together');
		await things.insertMany([thing(1)], { lean: true });
		await expect(things.insertMany([thing(2, { key: 'k1' })], { lean: true })).rejects.toMatchObject({ code: 11_000 });
	});

	describe('When a unique index is made over documents that break it', () => {
		test('then it throws', async () => {
			const rows = model({ other: 1 }, {}, 'broken');
			await prepareModels([rows]);
			await rows.insertMany([
				{ _id: 1, key: 'same' },
				{ _id: 2, key: 'same' },
			]);
			await expect(prepareModels([model({ key: 1 }, { unique: true }, 'broken')])).rejects.toThrow(Error);
		});
	});
});
