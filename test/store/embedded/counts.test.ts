import { describe, expect, test } from '@jest/globals';
import { thing } from '../thing.ts';
import { storedThings } from './stored-things.ts';

/** Several steps of a count, each of about 20,000 entries */
const MANY = 90_000;

describe('a count without a limit, of the embedded store', () => {
	const things = storedThings(MANY, (at) => {
		const rank = rankOf(at);
		return thing(at + 1, { rank, active: at % 90 > 0, person: rank === null ? {} : { level: rank } });
	});

	test.each<[string, object, (rank: number | null, at: number) => boolean]>([
		['from a value that fills two steps', { rank: { $gte: 0 } }, (rank) => rank !== null],
		['behind a value', { rank: { $gt: 0 } }, (rank) => rank !== null && rank > 0],
		['up to a value', { rank: { $lt: 60_000 } }, (rank) => rank !== null && rank < 60_000],
		['of one value', { rank: 0 }, (rank) => rank === 0],
		['of nulls', { rank: null }, (rank) => rank === null],
		['of what has nulls, a long run and single ones in its next column', { active: true }, (_, at) => at % 90 > 0],
		['of all that have an id', { account_id: 'acc_1' }, () => true],
		['of all', {}, () => true],
	])('When it is %s, then each counts once', async (_, filter, matches) => {
		const expected = Array.from({ length: MANY }, (_, at) => matches(rankOf(at), at)).filter(Boolean).length;
		expect(await things().countDocuments(filter as never)).toBe(expected);
	});

	test('When rows are removed, changed, and written by a transaction that fails, then a count is of what there is', async () => {
		const some = { rank: { $gte: 60_000, $lt: 60_999 } }; // few enough for one statement
		const count = () => things().countDocuments(some);
		expect(await count()).toBe(999);
		await things().deleteOne({ rank: 60_000 });
		expect(await count()).toBe(998);
		await things().updateOne({ rank: 60_001 }, { $set: { rank: -1 } });
		expect(await count()).toBe(997);
		await things().insertMany([thing(MANY + 1, { rank: 60_000 })]);
		expect(await count()).toBe(998);
		const [more, taken] = [thing(MANY + 2, { rank: 60_001 }), thing(1, { rank: 60_001 })];
		await expect(things().insertMany([taken, more])).rejects.toThrow('duplicate key');
		expect(await count()).toBe((await things().find(some).lean()).length);
	});
});

/** 5,000 nulls, 45,000 of one value, then each another one, and then 21,000 of the highest */
function rankOf(at: number): number | null {
	if (at < 5_000) return null;
	if (at < 50_000) return 0;
	return Math.min(at, 69_000);
}
