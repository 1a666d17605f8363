import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { prepareModels } from '../../shared/store/prepare-models.ts';
import { onBothForms } from './stores.ts';
import { fill, type Thing, type ThingModel, thing, thingModel } from './thing.ts';

const before = thing(1, {
	name: 'Ada',
	rank: 3,
	person: { email: 'ada@x.io', level: 2 },
	tags: ['a', 'b', 'a'],
	events: [
		{ id: 'e1', n: 1 },
		{ id: 'e2', n: 2 },
	],
	data: { list: [1, 2], text: 'x', nothing: null },
});

onBothForms('updates', (open) => {
	let things: ThingModel;
	beforeAll(async () => {
		things = thingModel((await open()).connection);
		await prepareModels([things]);
	});
	beforeEach(() => fill(things, [before, thing(2, { rank: 1 }), thing(3, { rank: 1, active: true })]));

	const read = (_id = 1) => things.findOne({ _id }).lean<Thing>();

	describe('When an update has', () => {
		test.each<[string, object, object]>([
			['$set of a field', { $set: { name: 'Eve' } }, { name: 'Eve' }],
			['$set of null', { $set: { name: null } }, { name: null }],
			['$set of a new field', { $set: { active: false } }, { active: false }],
			['$set of a dotted path', { $set: { 'person.level': 9 } }, { person: { email: 'ada@x.io', level: 9 } }],
			['$set of an object', { $set: { person: { level: 1 } } }, { person: { level: 1 } }],
			['$set of an array', { $set: { tags: ['z'] } }, { tags: ['z'] }],
			['$set of an element', { $set: { 'tags.1': 'z' } }, { tags: ['a', 'z', 'a'] }],
			['$unset', { $unset: { name: 1 } }, { name: undefined }],
			['$unset of a dotted path', { $unset: { 'person.email': 1 } }, { person: { level: 2 } }],
			['$inc', { $inc: { rank: -5, version: 1 } }, { rank: -2, version: 2 }],
			['$inc of a dotted path', { $inc: { 'person.level': 1 } }, { person: { email: 'ada@x.io', level: 3 } }],
			['$push', { $push: { tags: 'c' } }, { tags: ['a', 'b', 'a', 'c'] }],
			['$push with $each', { $push: { tags: { $each: ['c', 'd'] } } }, { tags: ['a', 'b', 'a', 'c', 'd'] }],
			['$push of nothing', { $push: { tags: { $each: [] } } }, { tags: ['a', 'b', 'a'] }],
			['$pull of a value', { $pull: { tags: 'a' } }, { tags: ['b'] }],
			['$pull of a list', { $pull: { tags: { $in: ['b', 'z'] } } }, { tags: ['a', 'a'] }],
			['$pull by a field', { $pull: { events: { id: 'e1' } } }, { events: [{ id: 'e2', n: 2 }] }],
			['$pull by a list', { $pull: { events: { id: { $in: ['e1', 'e2'] } } } }, { events: [] }],
			[
				'several operators',
				{ $set: { name: 'Eve' }, $inc: { version: 1 }, $push: { events: { id: 'e3', n: 3 } }, $unset: { rank: 1 } },
				{ name: 'Eve', version: 2, rank: undefined, events: [...before.events!, { id: 'e3', n: 3 }] },
			],
		])('%s, then the document is changed so, and nothing else', async (_, update, changes) => {
			const { matchedCount } = await things.updateOne({ _id: 1 }, update);
			expect(matchedCount).toBe(1);
			expect(await read()).toEqual(JSON.parse(JSON.stringify({ ...before, ...changes })));
			expect((await read(2))?.rank).toBe(1);
		});
	});

	test('When fields are missing, then $inc starts at 0 and $push makes a list', async () => {
		await things.updateOne({ _id: 2 }, { $inc: { 'person.level': 2 }, $push: { tags: 'a' } });
		expect(await read(2)).toEqual({ ...thing(2, { rank: 1 }), person: { level: 2 }, tags: ['a'] });
	});

	describe('When an update does not fit the document, then it is refused as a whole:', () => {
		test.each<[string, object]>([
			['$inc of null', { $set: { name: 'Eve' }, $inc: { 'data.nothing': 1 } }],
			['$inc of a text', { $set: { name: 'Eve' }, $inc: { 'data.text': 1 } }],
			['$push to a text', { $set: { name: 'Eve' }, $push: { 'data.text': 1 } }],
			['$pull from a text', { $set: { name: 'Eve' }, $pull: { 'data.text': 1 } }],
			['$set below null', { $set: { name: 'Eve', 'data.nothing.deep': 1 } }],
			['$set below a text', { $set: { name: 'Eve', 'data.text.deep': 1 } }],
			['two operators on one field', { $set: { rank: 1 }, $inc: { rank: 1 } }],
			['two operators on one branch', { $set: { data: {} }, $inc: { 'data.list': 1 } }],
		])('%s', async (_, update) => {
			await expect(things.updateOne({ _id: 1 }, update)).rejects.toThrow(Error);
			expect(await read()).toEqual(JSON.parse(JSON.stringify(before)));
		});
	});

	test('When nothing changes, then the document is matched and not modified', async () => {
		expect(await things.updateOne({ _id: 1 }, { $set: { name: 'Ada' } })).toMatchObject({
			matchedCount: 1,
			modifiedCount: 0,
		});
		expect(await things.updateOne({ _id: 9 }, { $set: { name: 'Ada' } })).toMatchObject({
			matchedCount: 0,
			modifiedCount: 0,
		});
	});

	test('When many match, then updateOne changes one and updateMany all, and both count them', async () => {
		expect(await things.updateOne({ rank: 1 }, { $set: { name: 'x' } })).toMatchObject({ modifiedCount: 1 });
		expect(await things.countDocuments({ name: 'x' })).toBe(1);
		expect(await things.updateMany({ rank: 1 }, { $set: { name: 'x' } })).toMatchObject({
			matchedCount: 2,
			modifiedCount: 1,
		});
		expect(await things.countDocuments({ name: 'x' })).toBe(2);
	});

	test('When an update moves documents within the index that finds them, then each is changed once', async () => {
		await fill(
			things,
			Array.from({ length: 1_200 }, (_, index) => thing(index, { rank: index })),
		);
		expect(await things.updateMany({ rank: { $gte: 0 } }, { $inc: { rank: 2_000 } })).toMatchObject({
			matchedCount: 1_200,
			modifiedCount: 1_200,
		});
		expect(await things.countDocuments({ rank: { $gte: 2_000, $lt: 3_200 } })).toBe(1_200);
	});

	test('When findOneAndUpdate is asked for the new or the old document, then it answers that', async () => {
		const change = { $inc: { version: 1 } };
		const after = await things.findOneAndUpdate({ _id: 1, version: 1 }, change, { returnDocument: 'after' }).lean();
		expect(after?.version).toBe(2);
		expect((await things.findOneAndUpdate({ _id: 1, version: 2 }, change).lean())?.version).toBe(2);
		expect(await things.findOneAndUpdate({ _id: 1, version: 2 }, change).lean()).toBeNull();
		expect((await read())?.version).toBe(3);
	});

	test('When findOneAndUpdate has an order and a projection, then it takes the first and shows that much', async () => {
		const options = { sort: { _id: -1 as const }, returnDocument: 'after' as const, projection: { rank: 1 } };
		expect(await things.findOneAndUpdate({ rank: 1 }, { $set: { rank: 5 } }, options).lean()).toEqual({
			_id: 3,
			rank: 5,
		});
	});

	test('When documents are deleted, then they are counted and gone', async () => {
		expect(await things.deleteOne({ _id: 9 })).toMatchObject({ deletedCount: 0 });
		expect(await things.deleteOne({ rank: 1 })).toMatchObject({ deletedCount: 1 });
		expect(await things.countDocuments({})).toBe(2);
		expect(await things.deleteMany({ _id: { $in: [1, 2, 3] } })).toMatchObject({ deletedCount: 2 });
		expect(await things.countDocuments({})).toBe(0);
	});
});
