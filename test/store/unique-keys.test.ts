import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { prepareModels } from '../../shared/store/prepare-models.ts';
import { bulkWriteErrors, isDuplicateKey, retryDeadlock } from '../../shared/store/write-errors.ts';
import { onBothForms } from './stores.ts';
import { fill, ids, type ThingModel, thing, thingModel } from './thing.ts';

const lean = { lean: true } as const;

/** What a promise was rejected with. */
async function failure(promise: Promise<unknown>): Promise<Error & { code?: number }> {
	return promise.then(
		() => {
			throw new Error('was not refused');
		},
		(error) => error,
	);
}

onBothForms('unique keys', (open) => {
	let things: ThingModel;
	beforeAll(async () => {
		things = thingModel((await open()).connection);
		await prepareModels([things]);
	});
	beforeEach(() => fill(things, [thing(1), thing(2)]));

	describe('L2: When a write breaks a unique index, then it is refused with 11000 and the name of the index:', () => {
		test.each<[string, string, () => Promise<unknown>]>([
			['insert of a taken _id', '_id_', () => things.insertMany([thing(1, { key: 'a', sequence: 'a' })], lean)],
			['insert of a taken key', 'key_1', () => things.insertMany([thing(3, { key: 'k1' })], lean)],
			['create', 'key_1', () => things.create(thing(3, { key: 'k1' }))],
			['insert of a taken pair', 'sequence', () => things.insertMany([thing(3, { sequence: 's1' })], lean)],
			['updateOne into a taken key', 'key_1', () => things.updateOne({ _id: 2 }, { $set: { key: 'k1' } })],
			['updateMany into a taken key', 'key_1', () => things.updateMany({ _id: 2 }, { $set: { key: 'k1' } })],
		])('%s', async (_, index, write) => {
			const error = await failure(write());
			expect(isDuplicateKey(error)).toBe(true);
			expect(error.code).toBe(11_000);
			expect(error.message).toContain(index);
			expect(await things.find({}).sort({ _id: 1 }).lean()).toEqual([thing(1), thing(2)]);
		});
	});

	test('When findOneAndUpdate takes a taken key, then it is a duplicate key', async () => {
		const error = await failure(things.findOneAndUpdate({ _id: 2 }, { $set: { key: 'k1' } }).lean());
		expect(isDuplicateKey(error)).toBe(true);
	});

	test('When one part of a compound key differs, then it is another key', async () => {
		await things.insertMany([thing(3, { sequence: 's1', account_id: 'acc_2' })], lean);
		expect(await things.countDocuments({ sequence: 's1' })).toBe(2);
	});

	test('When an unordered insertMany meets taken keys, then all others are written and those are told', async () => {
		const batch = [thing(3), thing(4, { key: 'k1' }), thing(5), thing(2), thing(6, { key: 'k5' }), thing(7)];
		const options = { ordered: false, throwOnValidationError: true };
		const error = await failure(things.insertMany(batch, options));
		expect(error.name).toBe('MongoBulkWriteError');
		expect(bulkWriteErrors(error)).toEqual([
			{ index: 1, code: 11_000 },
			{ index: 3, code: 11_000 },
			{ index: 4, code: 11_000 },
		]);
		expect(ids(await things.find({}).sort({ _id: 1 }).lean())).toEqual([1, 2, 3, 5, 7]);
		expect(ids((error as unknown as { insertedDocs: { _id: number }[] }).insertedDocs)).toEqual([3, 5, 7]);
	});

	test('When an ordered insertMany meets a taken key, then it ends there', async () => {
		const error = await failure(things.insertMany([thing(3), thing(4, { key: 'k1' }), thing(5)], lean));
		expect(bulkWriteErrors(error)).toEqual([{ index: 1, code: 11_000 }]);
		expect(ids(await things.find({}).sort({ _id: 1 }).lean())).toEqual([1, 2, 3]);
	});

	test('When a key is given up by update or delete, then it can be taken', async () => {
		await things.updateOne({ _id: 1 }, { $set: { key: 'free:1' } });
		await things.insertMany([thing(3, { key: 'k1' })], lean);
		await things.deleteOne({ _id: 2 });
		await things.insertMany([thing(4, { key: 'k2' })], lean);
		expect(await things.countDocuments({ key: { $in: ['k1', 'k2'] } })).toBe(2);
	});

	test('When 50 writers want one key at once, then one gets it', async () => {
		const outcomes = await Promise.all(
			Array.from({ length: 50 }, (_, index) =>
				retryDeadlock(() => things.insertMany([thing(10 + index, { key: 'wanted' })], lean)).then(
					() => 'written',
					() => 'refused',
				),
			),
		);
		expect(outcomes.filter((outcome) => outcome === 'written')).toHaveLength(1);
		expect(await things.countDocuments({ key: 'wanted' })).toBe(1);
	});
});
