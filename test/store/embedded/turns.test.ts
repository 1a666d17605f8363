import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { thing } from '../thing.ts';
import { storedThings } from './stored-things.ts';

const many = 3_000;

describe('the event loop beside the embedded store', () => {
	const things = storedThings(many, (index) => thing(index, { rank: 1, tags: ['a'] }));

	/** How often other work got its turn while `work` ran. */
	async function turnsDuring(work: () => PromiseLike<unknown>): Promise<number> {
		let running = true;
		const done = work().then(() => {
			running = false;
		});
		let turns = 0;
		while (running) {
			await turn();
			turns++;
		}
		await done;
		return turns;
	}

	test.each<[string, () => PromiseLike<unknown>]>([
		['find by an index', () => things().find({ rank: 1 }).lean()],
		['find without an index', () => things().find({ tags: 'b' }).lean()],
		['find with a sort that no index answers', () => things().find({}).sort({ key: -1, rank: 1 }).lean()],
		['findOne without an index', () => things().findOne({ tags: 'b' }).lean()],
		['count without an index', () => things().countDocuments({ tags: 'a' })],
		['group', () => things().aggregate([{ $match: { tags: 'a' } }, { $group: { _id: '$rank', count: { $sum: 1 } } }])],
		['updateMany', () => things().updateMany({ rank: 1 }, { $inc: { version: 1 } })],
		['updateOne without an index', () => things().updateOne({ tags: 'b' }, { $inc: { version: 1 } })],
		['deleteMany without an index', () => things().deleteMany({ tags: 'b' })],
		[
			'find by many ids',
			() =>
				things()
					.find({ _id: { $in: Array.from({ length: many }, (_, at) => at) } })
					.lean(),
		],
	])('When %s touches 3,000 documents, then other work gets its turn at least every 500', async (_, work) => {
		expect(await turnsDuring(work)).toBeGreaterThanOrEqual(many / 500);
	});

	test('When a program reads and reads again for as long as it takes, then other work gets its turn all the same', async () => {
		let written = false;
		void things()
			.updateOne({ _id: 0 }, { $set: { name: 'written' } })
			.then(() => {
				written = true;
			});
		let reads = 0;
		while (!written && ++reads < 20_000) await things().find({ _id: 1 }).lean();
		expect(written).toBe(true);
	});

	test('When a long updateMany runs, then a short write comes in between, and what no longer matches is left alone', async () => {
		const order: string[] = [];
		const long = things()
			.updateMany({ rank: 1 }, { $set: { name: 'long' } })
			.then((result) => {
				order.push('long');
				return result;
			});
		while (!(await things().exists({ _id: 0, name: 'long' }))) await turn();
		await things().updateOne({ _id: many - 1 }, { $set: { rank: 2 } });
		order.push('short');
		const { matchedCount } = await long;
		expect(order).toEqual(['short', 'long']);
		expect(matchedCount).toBe(many - 1);
		expect(
			await things()
				.findOne({ _id: many - 1 })
				.lean(),
		).toMatchObject({ rank: 2, version: 2 });
		expect(await things().countDocuments({ name: 'long' })).toBe(many - 1);
	});

	test('When documents change while a find runs, then every one that stays is found once', async () => {
		const reading = things()
			.find({ version: { $gte: 1 } })
			.lean();
		const [found] = await Promise.all([
			reading,
			things().updateMany({ _id: { $lt: 500 } }, { $set: { data: 'x'.repeat(500) } }),
			things().insertMany([thing(many + 1), thing(many + 2)], { lean: true }),
		]);
		const seen = found.map(({ _id }) => _id);
		expect(new Set(seen).size).toBe(seen.length);
		expect(seen.filter((_id) => _id < many)).toHaveLength(many);
	});
});
