import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { isError } from '../../../shared/contract/errors.ts';
import { SharedReads } from '../../../shared/engine/shared-reads.ts';
import { Reading } from '../../../shared/work/reading.ts';
import { thing } from '../thing.ts';
import { storedThings } from './stored-things.ts';

const MANY = 20_000;

describe('N3: a read of the embedded store that nobody waits for', () => {
	const things = storedThings(MANY, (index) => thing(index, { rank: 1, tags: ['a'] }));

	const forever = { remaining: () => 60_000 };
	const scans: [string, () => PromiseLike<unknown>][] = [
		['find', () => things().find({ tags: 'b' }).lean()],
		['count', () => things().countDocuments({ tags: 'b' })],
		['group', () => things().aggregate([{ $match: { tags: 'b' } }, { $group: { _id: '$rank', count: { $sum: 1 } } }])],
		['sort', () => things().find({ tags: 'b' }).sort({ name: 1 }).lean()],
	];

	async function outcome(work: PromiseLike<unknown>): Promise<unknown> {
		return work.then(
			() => 'answered',
			(error: unknown) => (isError(error, 'gateway_timeout') ? 'stopped' : error),
		);
	}

	test.each(scans)('N3: When a client has gone, then its %s stops, and has told what it read', async (_, scan) => {
		const reading = new Reading('acc', forever);
		const answer = reading.run(() => outcome(scan()));
		while (reading.units === 0) await turn();
		reading.end();
		expect(await answer).toBe('stopped');
		expect(reading.units).toBeLessThan(MANY);
	});

	test.each(scans)('N3: When its deadline passes, then its %s stops', async (_, scan) => {
		let left = 60_000;
		const reading = new Reading('acc', { remaining: () => left });
		const answer = reading.run(() => outcome(scan()));
		while (reading.units === 0) await turn();
		left = 0;
		expect(await answer).toBe('stopped');
	});

	test('N1: When a filter matches nothing, then each document that was read is counted', async () => {
		const reading = new Reading('acc', forever);
		expect(await reading.run(async () => await things().find({ tags: 'b' }).lean())).toEqual([]);
		expect(reading.units).toBe(MANY);
	});

	test('N3: When several wait for one read, then it goes on until the last has gone', async () => {
		const shared = new SharedReads<unknown>();
		const [one, other] = [new Reading('acc', forever), new Reading('acc', forever)];
		const ask = (reading: Reading) =>
			reading.run(() => outcome(shared.ask('acc:b' as never, async () => things().find({ tags: 'b' }).lean())));
		const answers = [ask(one), ask(other)];
		while (one.units === 0) await turn();
		one.end();
		const before = other.units;
		while (other.units === before) await turn();
		other.end();
		expect(await Promise.all(answers)).toEqual(['stopped', 'stopped']);
	});

	test('N2: When an account has three dear reads, then two are at work, and the third is begun when one has ended', async () => {
		const readings = Array.from({ length: 3 }, () => new Reading('acc', forever));
		const answers = readings.map((reading) => reading.run(() => outcome(things().find({ tags: 'b' }).lean())));
		await Promise.race(answers);
		expect(Math.min(...readings.map(({ units }) => units))).toBeLessThan(2_000);
		expect(await Promise.all(answers)).toEqual(['answered', 'answered', 'answered']);
	});
});
