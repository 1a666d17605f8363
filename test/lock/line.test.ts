import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import type { PlaceLock } from '../../shared/lock/place-lock.ts';
import { until } from '../support/until.ts';
import { Locks } from './locks.ts';
import { describeWithRedis } from './redis-server.ts';
import { timed } from './timed.ts';

const CLIENTS = 50;
const WAITS = 20;
const ALL = CLIENTS * WAITS;

describeWithRedis('a long line at one place', () => {
	let locks: Locks;
	beforeAll(async () => {
		locks = await Locks.start();
	});
	afterEach(() => locks.closeAll());
	afterAll(() => locks.stop());

	/** Each client is a process of its own to Redis: its own lock, its own connections. */
	const clients = (): Promise<PlaceLock[]> =>
		Promise.all(Array.from({ length: CLIENTS }, () => locks.open({ ttl: 10_000, maxWait: 60_000 })));

	test('L6: When 50 clients wait 20 times each, then Redis serves all in the order in which they came to it', async () => {
		const line = await clients();
		const place = locks.place();
		const monitor = await locks.redis.admin.monitor();
		const seen: string[] = [];
		monitor.on('monitor', (_time, [command = '', , , holder, , token]: string[], source) => {
			if (/^eval(sha)?$/i.test(command) && source !== 'lua' && holder?.includes(place)) seen.push(token!);
		});
		let inside = 0;
		await waitInTurns(line, place, async () => {
			expect(++inside).toBe(1);
			await new Promise(setImmediate);
			inside--;
		});
		await until(() => seen.length >= 2 * ALL);
		monitor.disconnect();
		const arrivals = [...new Set(seen)];
		const releases = seen.filter((token, i) => seen.indexOf(token) < i);
		expect(arrivals).toHaveLength(ALL);
		expect(releases).toEqual(arrivals);
	}, 60_000);

	test('L6: When 50 clients wait 20 times each for 5 ms of work, then the line costs at most 1.3 × the work', async () => {
		const line = await clients();
		const work = () => pause(5);
		const ratios: number[] = [];
		// Two of three that agree are the median's side already.
		while (ratios.filter((r) => r <= 1.3).length < 2 && ratios.filter((r) => r > 1.3).length < 2) {
			await locks.redis.forgetCalls();
			const { ms } = await timed(waitInTurns(line, locks.place(), work));
			expect(await locks.redis.calls()).toBeLessThanOrEqual(6 * ALL);
			const alone = await timed(repeat(ALL / 5, work));
			ratios.push(ms / (5 * alone.ms));
		}
		expect(ratios.sort()[1]).toBeLessThanOrEqual(1.3);
	}, 60_000);

	test('L6: When 50 requests of one process wait 20 times each, then each of them gets its lease', async () => {
		const lock = await locks.open({ ttl: 10_000, maxWait: 60_000 });
		const { lockFree } = structuredClone(lock.stats);
		await locks.redis.forgetCalls();
		let served = 0;
		await waitInTurns(Array(CLIENTS).fill(lock), locks.place(), async () => {
			served++;
		});
		expect(served).toBe(ALL);
		expect(lock.stats.lockFree).toEqual(lockFree);
		expect(await locks.redis.calls()).toBeLessThanOrEqual(6 * ALL);
	}, 60_000);
});

/** All at once; each asks again as soon as it was served. */
async function waitInTurns(line: PlaceLock[], place: string, work: () => Promise<void>): Promise<void> {
	await Promise.all(
		line.map((lock) =>
			repeat(WAITS, async () => {
				const lease = await lock.acquire(place);
				await work();
				expect(await lease?.release()).toBe(true);
			}),
		),
	);
}

async function repeat(times: number, task: () => Promise<void>): Promise<void> {
	for (let i = 0; i < times; i++) await task();
}
