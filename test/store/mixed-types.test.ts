import { beforeAll, describe, expect, test } from '@jest/globals';
import { type Model, Schema } from 'mongoose';
import { schemaOptions } from '../../shared/store/model.ts';
import { prepareModels } from '../../shared/store/prepare-models.ts';
import { onBothForms } from './stores.ts';
import { ids } from './thing.ts';

interface Row {
	_id: number;
	value?: unknown;
	copy?: unknown;
}

const schema = new Schema<Row>({ _id: Number, value: Schema.Types.Mixed, copy: Schema.Types.Mixed }, schemaOptions);
schema.index({ value: 1, _id: 1 });

const values = [null, undefined, -1, 0, 1, 1.5, '', '1', 'a', 'b', false, true];

onBothForms('a field of several types', (open) => {
	let rows: Model<Row>;
	beforeAll(async () => {
		rows = (await open()).connection.model<Row>('rows', schema, 'rows');
		await prepareModels([rows]);
		const documents = values.map((value, _id) => (value === undefined ? { _id } : { _id, value, copy: value }));
		await rows.insertMany(documents, { lean: true });
	});

	describe.each(['value', 'copy'])('When %s is asked', (path) => {
		test.each<[string, unknown, number[]]>([
			['to be true', true, [11]],
			['to be 1', 1, [4]],
			["to be '1'", '1', [7]],
			['to be false', false, [10]],
			['to be 0', 0, [3]],
			['to be null', null, [0, 1]],
			["to be ''", '', [6]],
			['to be of a list', { $in: [true, 0, 'a', null] }, [0, 1, 3, 8, 11]],
			['to be above a number', { $gt: 0 }, [4, 5]],
			['to be below a number', { $lt: 1 }, [2, 3]],
			['to be at most a number', { $lte: 1 }, [2, 3, 4]],
			['to be above a text', { $gt: '' }, [7, 8, 9]],
			['to be at least a text', { $gte: '1' }, [7, 8, 9]],
			['to be below a text', { $lt: 'a' }, [6, 7]],
			['to be between texts', { $gte: '', $lt: 'b' }, [6, 7, 8]],
		])('%s, then only values of that type match', async (_, condition, expected) => {
			expect(
				ids(
					await rows
						.find({ [path]: condition })
						.sort({ _id: 1 })
						.lean(),
				),
			).toEqual(expected);
			expect(await rows.countDocuments({ [path]: condition })).toBe(expected.length);
		});
	});

	test('When it is sorted by, then null comes first, then numbers, texts, booleans', async () => {
		const order = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11];
		expect(ids(await rows.find({}).sort({ value: 1, _id: 1 }).lean())).toEqual(order);
		expect(ids(await rows.find({}).sort({ value: -1, _id: -1 }).lean())).toEqual(order.toReversed());
	});
});
