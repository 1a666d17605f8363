import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { until } from '../support/until.ts';
import { ALL, CLIENTS, openLine, repeat, waitInTurns } from './line.ts';
import { Locks, untilWaiting } from './locks.ts';
import { describeWithRedis } from './redis-server.ts';

describeWithRedis('a long line at one place', () => {
	let locks: Locks;
	beforeAll(async () => {
		locks = await Locks.start();
	});
	afterEach(() => locks.closeAll());
	afterAll(() => locks.stop());

	test('L6: When 50 clients wait 20 times each, then Redis serves all in the order in which they came to it', async () => {
		const line = await openLine(locks);
		const place = locks.place();
		const monitor = await locks.redis.admin.monitor();
		const seen: string[] = [];
		monitor.on('monitor', (_time, [command = '', , , holder, , token]: string[], source) => {
			if (/^eval(sha)?$/i.test(command) && source !== 'lua' && holder?.includes(place)) seen.push(token!);
		});
		let inside = 0;
		try {
			await waitInTurns(line, place, async () => {
				expect(++inside).toBe(1);
				await new Promise(setImmediate);
				inside--;
			});
			await until(() => seen.length >= 2 * ALL);
		} finally {
			monitor.disconnect();
		}
		expect(seen.length).toBeLessThanOrEqual(6 * ALL);
		const arrivals = [...new Set(seen)];
		const releases = seen.filter((token, i) => seen.indexOf(token) < i);
		expect(arrivals).toHaveLength(ALL);
		expect(releases).toEqual(arrivals);
	});

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
	});

	test('L5: When the lock is handed over, then the lease is no longer than the one that Redis keeps', async () => {
		const [short, long] = [await locks.open({ ttl: 500, maxWait: 30_000 }), await locks.open({ ttl: 10_000 })];
		const place = locks.place();
		const first = await short.acquire(place);
		const waiting = long.acquire(place);
		await untilWaiting(short, place, 1);
		await first!.release();
		expect((await waiting)!.remaining()).toBeLessThanOrEqual(500);
	});

	test('L5: When the message that hands the lock over is read late, then the lease ends no later than in Redis', async () => {
		const [a, b] = [await locks.open({ ttl: 10_000 }), await locks.open({ ttl: 10_000, maxWait: 30_000 })];
		const place = locks.place();
		const first = await a.acquire(place);
		const waiting = b.acquire(place);
		await untilWaiting(b, place, 1);
		await locks.redis.suspend();
		const released = first!.release();
		await repeat(10, () => new Promise(setImmediate)); // it has left
		locks.redis.resume();
		Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000); // the message waits in the socket
		const lease = await waiting;
		const { ttl } = await a.inspect(place);
		expect(lease!.remaining()).toBeLessThanOrEqual(ttl);
		expect([await released, await lease!.release()]).toEqual([true, true]);
	});
});
