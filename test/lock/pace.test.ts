import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { isAlone } from '../support/bound.ts';
import { ALL, openLine, repeat, waitInTurns } from './line.ts';
import { Locks } from './locks.ts';
import { describeWithRedis } from './redis-server.ts';

/** A ratio of times says something on an otherwise idle machine only: `ALONE=1 npm test -- test/lock/pace`. */
const testAlone = isAlone ? test : test.skip;

describeWithRedis('the pace of the lock', () => {
	let locks: Locks;
	beforeAll(async () => {
		locks = await Locks.start();
	});
	afterAll(() => locks.stop());

	testAlone(
		'L6: When 50 clients wait 20 times each for 5 ms of work, then it takes ≤ 1.3 × the work (ALONE=1)',
		async () => {
			const line = await openLine(locks);
			const work = () => pause(5);
			const ratios: number[] = [];
			for (let round = 0; round < 3; round++) {
				await locks.redis.forgetCalls();
				const total = await duration(waitInTurns(line, locks.place(), work));
				expect(await locks.redis.calls()).toBeLessThanOrEqual(6 * ALL);
				ratios.push(total / (await duration(repeat(ALL, work))));
			}
			expect(ratios.sort()[1]).toBeLessThanOrEqual(1.3);
		},
	);
});

async function duration(task: Promise<void>): Promise<number> {
	const start = performance.now();
	await task;
	return performance.now() - start;
}
