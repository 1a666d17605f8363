import { describe, expect, test } from '@jest/globals';
import { findPlain } from '../../../shared/store/find-plain.ts';
import { rounds } from '../../support/rounds.ts';
import { ids, thing } from '../thing.ts';
import { storedThings } from './stored-things.ts';

const MANY = 6_000;
const RANKS = 5_000;
const ROUNDS = rounds(12);
const account_id = 'acc_1';

/**
 * Things move from rank to rank and never leave. A read that takes several steps must be of one moment, in which each of
 * them was there once.
 */
describe('a read of several steps, while what it reads is moved', () => {
	const things = storedThings(MANY, (index) => thing(index, { rank: (index % RANKS) + 1, tags: ['a'] }));

	/** What a number of reads answer while things move all the time. */
	async function whileMoving<T>(read: () => PromiseLike<T>): Promise<T[]> {
		let reading = true;
		const answers = (async () => {
			const found: T[] = [];
			for (let round = 0; round < ROUNDS; round++) found.push(await read());
			return found;
		})().finally(() => {
			reading = false;
		});
		let moves = 0;
		while (reading) {
			const some = Array.from({ length: 40 }, () => moves++ % MANY);
			await Promise.all(
				some.map((_id) => things().updateOne({ _id }, { $set: { rank: ((_id * 31 + moves) % RANKS) + 1 } })),
			);
		}
		expect(moves).toBeGreaterThan(0);
		return answers;
	}

	const all = { account_id, rank: { $gt: 0 } };
	const EVERY = Array.from({ length: MANY }, (_, index) => index);
	const sorted = (found: { _id: number }[]) => ids(found).sort((left, right) => left - right);

	test.each<[string, () => PromiseLike<{ _id: number }[]>]>([
		['all, by an index that moves', () => findPlain(things(), all)],
		['all, of which not everything is in the index', () => findPlain(things(), { ...all, tags: 'a' } as never)],
		['all, sorted', () => things().find(all).sort({ rank: 1, key: 1 }).lean<{ _id: number }[]>()],
	])('When %s are read, then each is there once', async (_, read) => {
		for (const answer of await whileMoving(read)) expect(sorted(answer)).toEqual(EVERY);
	});

	test('When sorted ones are read, then they are in order', async () => {
		for (const answer of await whileMoving(() => things().find(all).sort({ rank: 1 }).lean<{ rank: number }[]>())) {
			const ranks = answer.map(({ rank }) => rank);
			expect(ranks).toEqual(ranks.toSorted((left, right) => left - right));
		}
	});

	test('When a page of ids is read along an index, then no id is there twice', async () => {
		const window = {
			hint: 'ranked',
			sort: { rank: 1 },
			skip: 500,
			limit: 1_000,
			projection: { _id: 1 },
		} as const;
		for (const page of await whileMoving(() => findPlain(things(), all, window))) {
			expect(new Set(ids(page)).size).toBe(1_000);
		}
	});

	test.each<[string, () => PromiseLike<number>]>([
		[
			'what documents answer',
			() =>
				things()
					.countDocuments({ ...all, tags: 'a' })
					.limit(10_001),
		],
		['groups', async () => sum(await things().aggregate(byRank(all)))],
	])('When %s is counted, then each counts once', async (_, count) => {
		expect(await whileMoving(count)).toEqual(Array.from({ length: ROUNDS }, () => MANY));
	});
});

function byRank($match: object) {
	return [{ $match }, { $group: { _id: '$rank', count: { $sum: 1 as const } } }];
}

function sum(groups: { count: number }[]): number {
	return groups.reduce((total, { count }) => total + count, 0);
}
