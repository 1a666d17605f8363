import { beforeAll, beforeEach, expect, test } from '@jest/globals';
import { prepareModels } from '../../shared/store/prepare-models.ts';
import { isUnavailable, mayStillLand } from '../../shared/store/write-errors.ts';
import { onBothForms } from './stores.ts';
import { fill, type Thing, type ThingModel, thing, thingModel } from './thing.ts';

/** Repeats what was never sent: on a slow machine it waits too long for a connection of the pool. */
async function insist<T>(write: () => PromiseLike<T>): Promise<T> {
	for (;;) {
		try {
			return await write();
		} catch (error) {
			if (!isUnavailable(error) || mayStillLand(error)) throw error;
		}
	}
}

onBothForms('concurrent writers', (open) => {
	let things: ThingModel;
	beforeAll(async () => {
		things = thingModel((await open()).connection);
		await prepareModels([things]);
	});
	beforeEach(() => fill(things, [thing(1, { rank: 0 })]));

	test('When 40 writers change one version at once, then one matches', async () => {
		const results = await Promise.all(
			Array.from({ length: 40 }, (_, index) =>
				things.updateOne({ _id: 1, version: 1 }, { $set: { name: `w${index}` }, $inc: { version: 1 } }),
			),
		);
		expect(results.filter(({ modifiedCount }) => modifiedCount === 1)).toHaveLength(1);
		expect(results.filter(({ matchedCount }) => matchedCount === 0)).toHaveLength(39);
		expect((await things.findOne({ _id: 1 }).lean())?.version).toBe(2);
	});

	test('When 100 increments run at once, then none is lost, and each sees another value', async () => {
		const seen = await Promise.all(
			Array.from({ length: 100 }, () =>
				insist(() =>
					things.findOneAndUpdate({ _id: 1 }, { $inc: { rank: 1 } }, { returnDocument: 'after' }).lean<Thing>(),
				),
			),
		);
		expect(new Set(seen.map((document) => document?.rank)).size).toBe(100);
		expect((await things.findOne({ _id: 1 }).lean())?.rank).toBe(100);
	});

	test('When inserts, changes and deletes run at once, then each does what it does alone', async () => {
		await fill(
			things,
			Array.from({ length: 60 }, (_, index) => thing(index)),
		);
		await Promise.all(
			Array.from({ length: 60 }, (_, index) => {
				if (index % 3 === 0) return things.deleteOne({ _id: index });
				if (index % 3 === 1) return things.updateOne({ _id: index }, { $set: { key: `free:${index}` } });
				return things.insertMany([thing(100 + index)], { lean: true });
			}),
		);
		expect(await things.countDocuments({})).toBe(60);
		expect(await things.countDocuments({ key: { $gte: 'free:', $lt: 'free;' } })).toBe(20);
		expect(await things.countDocuments({ _id: { $gte: 100 } })).toBe(20);
	});

	test('When a write was acknowledged, then the next read sees it', async () => {
		for (let version = 1; version <= 20; version++) {
			await things.updateOne({ _id: 1, version }, { $inc: { version: 1 } });
			expect((await things.findOne({ _id: 1 }).lean())?.version).toBe(version + 1);
		}
	});
});
