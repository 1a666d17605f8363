import { beforeAll, describe, expect, test } from '@jest/globals';
import { type Model, Schema } from 'mongoose';
import { accountScope } from '../../shared/store/account-scope.ts';
import { findPlain } from '../../shared/store/find-plain.ts';
import { schemaOptions } from '../../shared/store/model.ts';
import { prepareModels } from '../../shared/store/prepare-models.ts';
import { updateManyPlain, updatePlain } from '../../shared/store/update-plain.ts';
import { onBothForms } from './stores.ts';

interface Row {
	_id: number;
	account_id: string;
	name: string;
}

const schema = new Schema<Row>({ _id: Number, account_id: String, name: String }, schemaOptions);
accountScope(schema);

const everyAccount = { everyAccount: true } as const;
const group = { $group: { _id: '$name', count: { $sum: 1 } } } as const;

/** Each way to the documents, with a filter of the caller's choice. */
const ways: [string, (rows: Model<Row>, filter: object, options?: object) => PromiseLike<unknown>][] = [
	['find', (rows, filter, options) => rows.find(filter, null, options).lean()],
	['find through a cursor', (rows, filter, options) => rows.find(filter, null, options).lean().cursor().next()],
	['findOne', (rows, filter, options) => rows.findOne(filter, null, options).lean()],
	['exists', (rows, filter, options) => rows.exists(filter).setOptions(options ?? {})],
	['countDocuments', (rows, filter, options) => rows.countDocuments(filter, options)],
	['updateOne', (rows, filter, options) => rows.updateOne(filter, { $set: { name: 'b' } }, options)],
	['updateMany', (rows, filter, options) => rows.updateMany(filter, { $set: { name: 'b' } }, options)],
	['findOneAndUpdate', (rows, filter, options) => rows.findOneAndUpdate(filter, { name: 'b' }, options).lean()],
	['deleteOne', (rows, filter, options) => rows.deleteOne(filter, options)],
	['deleteMany', (rows, filter, options) => rows.deleteMany(filter, options)],
	['aggregate', (rows, filter, options) => rows.aggregate([{ $match: filter }, group], options)],
];

/** They know no query about all. */
const plain: typeof ways = [
	['findPlain', (rows, filter) => findPlain(rows, filter)],
	['updatePlain', (rows, filter) => updatePlain(rows, filter, { $set: { name: 'b' } })],
	['updateManyPlain', (rows, filter) => updateManyPlain(rows, filter, { $set: { name: 'b' } })],
];

onBothForms('the account scope', (open) => {
	let rows: Model<Row>;
	beforeAll(async () => {
		rows = (await open()).connection.model<Row>('rows', schema, 'rows');
		await prepareModels([rows]);
	});

	describe.each([...ways, ...plain])('A5: %s', (_, way) => {
		test.each([
			['no account_id', { _id: 1 }],
			['an undefined one', { _id: 1, account_id: undefined }],
			['null', { _id: 1, account_id: null }],
			['an empty one', { _id: 1, account_id: '' }],
			['an operator that means any', { account_id: { $ne: '' } }],
			['a list with null', { account_id: { $in: ['acc_1', null] } }],
			['it in a branch only', { $or: [{ account_id: 'acc_1' }, { _id: 1 }] }],
		])('When the filter has %s, then it throws and the store is not asked', async (_name, filter) => {
			await rows.insertMany([{ _id: 1, account_id: 'acc_1', name: 'a' }]).catch(() => {});
			await expect(Promise.resolve().then(() => way(rows, filter))).rejects.toThrow(/account_id/);
			expect(await rows.findOne({ account_id: 'acc_1' }).lean()).toEqual({ _id: 1, account_id: 'acc_1', name: 'a' });
		});

		test('When the filter names an account, or accounts, or the query is about all, then it runs', async () => {
			await expect(way(rows, { account_id: 'acc_9' })).resolves.toBeDefined();
			await expect(way(rows, { account_id: { $in: ['acc_8', 'acc_9'] } })).resolves.toBeDefined();
			if (!plain.some(([, each]) => each === way))
				await expect(way(rows, { _id: 9 }, { ...everyAccount })).resolves.toBeDefined();
		});
	});

	test.each<[string, object]>([
		['none', { _id: 5, name: 'a' }],
		['null', { _id: 5, account_id: null, name: 'a' }],
	])('A5: When a document with %s for its account is inserted, then it throws', async (_, document) => {
		await expect(rows.insertMany([{ _id: 4, account_id: 'acc_1' }, document], { lean: true })).rejects.toThrow(
			/account_id/,
		);
		await expect(rows.insertMany(document)).rejects.toThrow(/account_id/);
		await expect(rows.create(document)).rejects.toThrow(/account_id/);
		expect(await rows.countDocuments({ _id: { $in: [4, 5] } }).setOptions(everyAccount)).toBe(0);
	});

	test('A5: When a bulkWrite is tried, then it throws', async () => {
		await expect(rows.bulkWrite([{ deleteMany: { filter: {} } }])).rejects.toThrow(/account/);
	});
});
