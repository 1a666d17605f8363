import { beforeAll, describe, expect, test } from '@jest/globals';
import { prepareModels } from '../../shared/store/prepare-models.ts';
import { onBothForms } from './stores.ts';
import { fill, ids, type Thing, type ThingModel, thing, thingModel } from './thing.ts';

const documents: Thing[] = [
	thing(1, { name: 'Ada', rank: 3, active: true, person: { email: 'ada@x.io', level: 2 }, tags: ['a', 'b'] }),
	thing(2, { name: 'Bob', rank: 1, active: false, person: { email: null, level: 1 }, tags: [] }),
	thing(3, { name: 'Cleo', rank: null, active: true, person: {}, events: [{ id: 'e1', n: 1 }] }),
	thing(4, { name: null, rank: 2.5, active: null, tags: ['b', 'c'], events: [{ id: 'e2', n: 5 }] }),
	thing(5, { rank: -7, account_id: 'acc_2', person: { level: 2 } }),
	thing(6, { name: 'ada', rank: 1, account_id: 'acc_2', active: false, data: { deep: { value: 1 } } }),
];

const filters: [string, Record<string, unknown>, number[]][] = [
	['nothing asked', {}, [1, 2, 3, 4, 5, 6]],
	['equality by _id', { _id: 4 }, [4]],
	['equality by an indexed text', { key: 'k2' }, [2]],
	['equality by a text without index', { name: 'Ada' }, [1]],
	['equality by a number', { rank: 1 }, [2, 6]],
	['equality by true', { active: true }, [1, 3]],
	['equality by false', { active: false }, [2, 6]],
	['null: the field is null or missing', { active: null }, [4, 5]],
	['null without index', { name: null }, [4, 5]],
	['null of a nested field', { 'person.level': null }, [3, 4, 6]],
	['not null', { name: { $ne: null } }, [1, 2, 3, 6]],
	['$in over _id', { _id: { $in: [6, 2, 99, 2] } }, [2, 6]],
	['$in with null', { rank: { $in: [null, 1] } }, [2, 3, 6]],
	['$in of nothing', { _id: { $in: [] } }, []],
	['$in over two columns', { account_id: { $in: ['acc_1', 'acc_2'] }, sequence: { $in: ['s1', 's6'] } }, [1, 6]],
	['$nin', { rank: { $nin: [1, 3] } }, [3, 4, 5]],
	['$ne', { rank: { $ne: 1 } }, [1, 3, 4, 5]],
	['$gt', { rank: { $gt: 1 } }, [1, 4]],
	['$gte', { rank: { $gte: 1 } }, [1, 2, 4, 6]],
	['$lt', { rank: { $lt: 1 } }, [5]],
	['$lte', { rank: { $lte: 1 } }, [2, 5, 6]],
	['a range', { rank: { $gt: -7, $lt: 3 } }, [2, 4, 6]],
	['a range of texts', { key: { $gte: 'k2', $lt: 'k4' } }, [2, 3]],
	['an open range of texts', { key: { $gt: 'k4' } }, [5, 6]],
	['a range of texts from below', { key: { $lte: 'k2' } }, [1, 2]],
	['a range over _id', { _id: { $gt: 2, $lte: 5 } }, [3, 4, 5]],
	['a range in a compound index', { account_id: 'acc_1', _id: { $gt: 2 } }, [3, 4]],
	['equality and $in', { account_id: 'acc_2', _id: { $in: [1, 5, 6] } }, [5, 6]],
	['a dotted path', { 'person.level': 2 }, [1, 5]],
	['a dotted path and an index', { active: true, 'person.level': 2 }, [1]],
	['an element of an array', { tags: 'b' }, [1, 4]],
	['a field of an array of objects', { 'events.id': 'e2' }, [4]],
	['a number in an array of objects', { 'events.n': { $gt: 1 } }, [4]],
	['$exists', { name: { $exists: true } }, [1, 2, 3, 4, 6]],
	['$exists: false', { 'person.email': { $exists: false } }, [3, 4, 5, 6]],
	['$or', { $or: [{ rank: 3 }, { name: 'Bob' }] }, [1, 2]],
	['$and of one path', { $and: [{ rank: { $gte: 1 } }, { rank: { $lt: 3 } }] }, [2, 4, 6]],
	['$or beside an index', { account_id: 'acc_1', $or: [{ rank: 1 }, { name: null }] }, [2, 4]],
	['$not', { rank: { $not: { $gt: 1 } } }, [2, 3, 5, 6]],
	['$elemMatch', { events: { $elemMatch: { id: 'e1', n: { $lt: 2 } } } }, [3]],
	['$size', { tags: { $size: 2 } }, [1, 4]],
];

onBothForms('queries', (open) => {
	let things: ThingModel;
	beforeAll(async () => {
		things = thingModel((await open()).connection);
		await prepareModels([things]);
		await fill(things, documents);
	});

	describe('When a filter asks for', () => {
		test.each(filters)('%s, then those documents come, are counted, and no others', async (_, filter, expected) => {
			expect(ids(await things.find(filter).sort({ _id: 1 }).lean())).toEqual(expected);
			expect(await things.countDocuments(filter)).toBe(expected.length);
			expect((await things.findOne(filter).sort({ _id: -1 }).lean())?._id).toBe(expected.at(-1));
		});
	});

	test('When documents are read, then they are what was written', async () => {
		const stripped = documents.map((document) => JSON.parse(JSON.stringify(document)));
		expect(await things.find({}).sort({ _id: 1 }).lean()).toEqual(stripped);
	});

	test('When several objects of an array have an array each, then each of its elements is asked for', async () => {
		const lists = (_id: number, ...keys: (string[] | undefined)[]) =>
			thing(_id, { data: keys.map((each) => (each === undefined ? {} : { keys: each })) });
		await fill(things, [
			lists(1, ['k', 'l'], undefined, ['m'], []),
			lists(2, ['l']),
			lists(3, undefined),
			lists(4, [], []),
		]);
		const found = async (asked: unknown) => ids(await things.find({ 'data.keys': asked }).sort({ _id: 1 }).lean());
		expect(await found('m')).toEqual([1]);
		expect(await found({ $in: ['l', 'n'] })).toEqual([1, 2]);
		expect(await found({ $in: ['m'], $gt: '' })).toEqual([1]);
		expect(await found({ $nin: ['m', 'n'] })).toEqual([2, 3, 4]);
		expect(await found({ $ne: 'm' })).toEqual([2, 3, 4]);
		expect(await found({ $gt: '' })).toEqual([1, 2]);
		expect(await found({ $gte: 'm' })).toEqual([1]);
		expect(await found({ $lt: 'l' })).toEqual([1]);
		expect(await found({ $lte: 'l' })).toEqual([1, 2]);
		await fill(things, documents);
	});

	describe('When a partial index is to be used', () => {
		const found = async (filter: Record<string, unknown>) =>
			ids(await things.find(filter).hint('ranked').sort({ rank: 1 }).lean());

		test('then it finds what it is about, also after changes', async () => {
			expect(await found({ account_id: 'acc_1', rank: { $gt: 0 } })).toEqual([2, 4, 1]);
			expect(await found({ account_id: 'acc_1', rank: { $gt: 0, $lte: 2.5 } })).toEqual([2, 4]);
			await things.updateOne({ _id: 2 }, { $set: { rank: 0 } });
			await things.updateOne({ _id: 3 }, { $set: { rank: 2 } });
			await things.updateOne({ _id: 4 }, { $unset: { rank: 1 } });
			expect(await found({ account_id: 'acc_1', rank: { $gt: 0 } })).toEqual([3, 1]);
			await fill(things, documents);
		});
	});

	test('When a unique index is partial, then it refuses and finds only what it is about', async () => {
		const twin = (_id: number, rank: number) => thing(_id, { account_id: `acc_${_id}`, sequence: 'twin', rank });
		await fill(things, [twin(1, 0), twin(2, 0), twin(3, 1)]);
		const found = { sequence: 'twin', rank: { $gt: 0 } };
		expect(ids(await things.find(found).hint('once').lean())).toEqual([3]);
		expect(await things.countDocuments(found).hint('once')).toBe(1);
		await expect(things.updateOne({ _id: 1 }, { $set: { rank: 2 } })).rejects.toMatchObject({ code: 11_000 });
		await expect(things.insertMany([twin(4, 2)], { lean: true })).rejects.toMatchObject({ code: 11_000 });
		await things.updateOne({ _id: 3 }, { $set: { rank: -1 } });
		await things.updateOne({ _id: 1 }, { $set: { rank: 2 } });
		expect(
			ids(
				await things
					.find({ ...found, rank: { $gt: 1 } })
					.hint('once')
					.lean(),
			),
		).toEqual([1]);
		expect(
			ids(
				await things
					.find({ ...found, rank: { $gt: 2 } })
					.hint('once')
					.lean(),
			),
		).toEqual([]);
		await fill(things, documents);
	});

	test('When a partial index is about a text, then it finds who has one, after changes too, and knows nobody else', async () => {
		const mailed = (_id: number, email?: string | null) => thing(_id, { person: { email } as never });
		await fill(things, [mailed(1, 'a@x'), mailed(2, ''), mailed(3, null), mailed(4), mailed(5, 'b@x'), thing(6)]);
		const found = async (email: string | object) =>
			ids(await things.find({ 'person.email': email }).hint('reachable').sort({ 'person.email': 1 }).lean());
		expect(await found('a@x')).toEqual([1]);
		expect(await found({ $in: ['a@x', 'b@x', 'c@x'] })).toEqual([1, 5]);
		expect(await found({ $gt: '' })).toEqual([1, 5]);
		await things.updateOne({ _id: 5 }, { $set: { 'person.email': null } });
		await things.updateOne({ _id: 4 }, { $set: { 'person.email': 'c@x' } });
		expect(await found({ $gt: '' })).toEqual([1, 4]);
		expect(ids(await things.find({ 'person.email': '' }).lean())).toEqual([2]);
		await fill(things, documents);
	});

	describe('When a sort asks for', () => {
		test.each<[string, Record<string, 1 | -1>, number[]]>([
			['ascending numbers, null first', { rank: 1, _id: 1 }, [3, 5, 2, 6, 4, 1]],
			['descending numbers, null last', { rank: -1, _id: 1 }, [1, 4, 2, 6, 5, 3]],
			['null and missing as one', { name: 1, _id: 1 }, [4, 5, 1, 2, 3, 6]],
			['booleans after null', { active: 1, _id: -1 }, [5, 4, 6, 2, 3, 1]],
			['a nested field', { 'person.level': -1, _id: -1 }, [5, 1, 2, 6, 4, 3]],
			['descending _id', { _id: -1 }, [6, 5, 4, 3, 2, 1]],
			['an index read backwards', { rank: -1, name: 1 }, [1, 4, 2, 6, 5, 3]],
		])('%s, then the order is that', async (_, sort, expected) => {
			expect(ids(await things.find({}).sort(sort).lean())).toEqual(expected);
			expect(ids(await things.find({}).sort(sort).skip(1).limit(3).lean())).toEqual(expected.slice(1, 4));
		});
	});

	test('When an index answers filter and order, then pages follow each other', async () => {
		const page = async (skip: number) =>
			ids(await things.find({ account_id: 'acc_1' }).sort({ _id: 1 }).skip(skip).limit(3).lean());
		expect([await page(0), await page(3), await page(4)]).toEqual([[1, 2, 3], [4], []]);
	});

	test('When several values of a column are asked for in order, then skip and limit run over all of them', async () => {
		const filter = { account_id: { $in: ['acc_1', 'acc_2'] } };
		expect(ids(await things.find(filter).sort({ _id: -1 }).skip(1).limit(3).lean())).toEqual([5, 4, 3]);
		const byId = { _id: { $in: [6, 1, 4, 2] } };
		expect(ids(await things.find(byId).sort({ _id: 1 }).skip(1).limit(2).lean())).toEqual([2, 4]);
		expect(ids(await things.find(byId).sort({ _id: -1 }).limit(2).lean())).toEqual([6, 4]);
	});

	test('When a count has a limit or a skip, then it ends there', async () => {
		expect(await things.countDocuments({ account_id: 'acc_1' }).limit(3)).toBe(3);
		expect(await things.countDocuments({ account_id: 'acc_1' }, { skip: 3 })).toBe(1);
		expect(await things.countDocuments({ name: { $ne: null } }).limit(2)).toBe(2);
		expect(await things.countDocuments({ account_id: 'acc_9' }).limit(3)).toBe(0);
	});

	test('When a projection names fields, then these and _id come', async () => {
		expect(await things.findOne({ _id: 1 }).select({ name: 1, 'person.email': 1 }).lean()).toEqual({
			_id: 1,
			name: 'Ada',
			person: { email: 'ada@x.io' },
		});
		expect(await things.findOne({ _id: 2 }).select({ key: 1, rank: 1, data: 1 }).lean()).toEqual({
			_id: 2,
			key: 'k2',
			rank: 1,
		});
		expect(await things.findOne({ _id: 2 }).select({ _id: 0, key: 1 }).lean()).toEqual({ key: 'k2' });
		expect(await things.find({ _id: 5 }).select('-account_id -person -version').lean()).toEqual([
			{ _id: 5, key: 'k5', sequence: 's5', rank: -7 },
		]);
	});

	test('When a cursor is read, then it gives every document once, and may be left early', async () => {
		const seen: number[] = [];
		for await (const document of things.find({}).sort({ _id: 1 }).lean().cursor()) seen.push(document._id);
		expect(seen).toEqual([1, 2, 3, 4, 5, 6]);
		for await (const document of things.find({}).sort({ _id: 1 }).lean().cursor()) {
			if (document._id === 2) break;
		}
		expect(await things.countDocuments({})).toBe(6);
	});

	test('When matches are counted by a field, then each value has its count', async () => {
		const count = (match: object, by: string | null) =>
			things.aggregate([{ $match: match }, { $group: { _id: by, count: { $sum: 1 } } }]);
		const sorted = (rows: { _id: unknown }[]) => rows.sort((a, b) => String(a._id).localeCompare(String(b._id)));
		expect(sorted(await count({ rank: { $ne: null } }, '$account_id'))).toEqual([
			{ _id: 'acc_1', count: 3 },
			{ _id: 'acc_2', count: 2 },
		]);
		expect(sorted(await count({ account_id: { $in: ['acc_2', 'acc_1', 'acc_3'] } }, '$account_id'))).toEqual([
			{ _id: 'acc_1', count: 4 },
			{ _id: 'acc_2', count: 2 },
		]);
		expect(sorted(await count({}, '$active'))).toEqual([
			{ _id: false, count: 2 },
			{ _id: null, count: 2 },
			{ _id: true, count: 2 },
		]);
		expect(await count({ account_id: 'acc_1' }, null)).toEqual([{ _id: null, count: 4 }]);
	});

	test('When a filter or a document has a field that the schema lacks, then it throws', async () => {
		await expect(things.find({ nmae: 'Ada' } as never).lean()).rejects.toThrow(/nmae/);
		await expect(things.updateOne({ _id: 1 }, { $set: { nmae: 'Ada' } } as never)).rejects.toThrow(/nmae/);
		await expect(things.create({ ...documents[0]!, _id: 9, nmae: 'Ada' } as never)).rejects.toThrow(/nmae/);
	});

	test('When a collection has no documents, then reads find none', async () => {
		const empty = thingModel(things.db, 'nothing');
		expect(await empty.find({}).lean()).toEqual([]);
		expect(await empty.findOne({ _id: 1 }).lean()).toBeNull();
		expect(await empty.countDocuments({})).toBe(0);
	});
});
