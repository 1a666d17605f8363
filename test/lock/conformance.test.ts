import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { FairLock } from '../../shared/lock/fair-lock.ts';
import { localFairLock } from '../../shared/lock/local-fair-lock.ts';
import { keyOf } from '../support/account-keys.ts';
import { bound } from '../support/bound.ts';
import { until } from '../support/until.ts';
import { Locks, untilWaiting } from './locks.ts';
import { describeWithRedis } from './redis-server.ts';
import { timed } from './timed.ts';

type Open = (options?: { ttl?: number; maxWait?: number }) => Promise<FairLock>;

describe('the lock in one process', () => {
	conformance(async (options) => localFairLock(options));
});

describeWithRedis('the lock in Redis', () => {
	let locks: Locks;
	beforeAll(async () => {
		locks = await Locks.start();
	});
	afterEach(() => locks.closeAll());
	afterAll(() => locks.stop());
	conformance((options) => locks.open(options));
});

let places = 0;
const newPlace = () => keyOf(++places, '2030-01-07');

function conformance(open: Open): void {
	test('When nobody holds a place, then it is leased at once and shown', async () => {
		const lock = await open();
		const place = newPlace();
		const lease = await lock.acquire(place);
		expect(lease?.key).toBe(place);
		expect(lease?.remaining()).toBeGreaterThan(0);
		expect(lease?.remaining()).toBeLessThanOrEqual(5000);
		const shown = await lock.inspect(place);
		expect(shown).toEqual({ holder: expect.any(String), waiting: 0, ttl: expect.any(Number) });
		expect(shown.ttl).toBeGreaterThan(0);
		expect(await lease?.release()).toBe(true);
		expect(await lock.inspect(place)).toEqual({ holder: null, waiting: 0, ttl: 0 });
	});

	test('When another place is held, then nobody waits for it', async () => {
		const lock = await open();
		const held = await lock.acquire(newPlace());
		const other = await lock.acquire(newPlace());
		expect(other).toBeDefined();
		expect(await held?.release()).toBe(true);
		expect(await other?.release()).toBe(true);
	});

	test('L6: When many wait, then they are served one at a time and in order of arrival', async () => {
		const lock = await open({ maxWait: 20_000 });
		const place = newPlace();
		const arrivals = Array.from({ length: 50 }, (_, i) => i);
		const served: number[] = [];
		let inside = 0;
		await Promise.all(
			arrivals.map(async (i) => {
				const lease = await lock.acquire(place);
				expect(++inside).toBe(1);
				served.push(i);
				await new Promise(setImmediate);
				inside--;
				expect(await lease?.release()).toBe(true);
			}),
		);
		expect(served).toEqual(arrivals);
		expect(await lock.inspect(place)).toEqual({ holder: null, waiting: 0, ttl: 0 });
	});

	test('L4: When the wait lasts too long, then the waiter goes on without the lock and out of the line', async () => {
		const lock = await open({ maxWait: 150 });
		const place = newPlace();
		const lease = await lock.acquire(place);
		const { result, ms, wall } = await timed(lock.acquire(place));
		expect(result).toBeUndefined();
		expect(wall).toBeGreaterThan(100); // it began before it was timed, and on a busy machine that is some ms
		expect(ms).toBeLessThan(150 + bound(100));
		expect(lock.stats.lockFree).toEqual({ timeout: 1, unavailable: 0 });
		await untilWaiting(lock, place, 0);
		expect(await lease?.release()).toBe(true);
		expect(await lock.inspect(place)).toEqual({ holder: null, waiting: 0, ttl: 0 });
	});

	test('When one gave up, then the lock passes by it to the one that came later', async () => {
		const impatient = await open({ maxWait: 1_000 });
		const place = newPlace();
		const lease = await impatient.acquire(place);
		const first = impatient.acquire(place);
		await untilWaiting(impatient, place, 1);
		expect(await first).toBeUndefined();
		const second = impatient.acquire(place);
		expect(await lease?.release()).toBe(true);
		expect(await (await second)?.release()).toBe(true);
	});

	test('L5: When a release comes after the lease has ended, then it counts as lost and disturbs nobody', async () => {
		const lock = await open({ ttl: 1_000, maxWait: 20_000 });
		const place = newPlace();
		const { lost } = lock.stats;
		const late = await lock.acquire(place);
		const { result: next, ms } = await timed(lock.acquire(place));
		expect(ms).toBeLessThan(1_000 + bound(100));
		expect(late?.remaining()).toBeLessThanOrEqual(0);
		const { holder } = await lock.inspect(place);
		expect(await late?.release()).toBe(false);
		expect(lock.stats.lost).toBe(lost + 1);
		expect(await lock.inspect(place)).toMatchObject({ holder });
		expect(await next?.release()).toBe(true);
		expect(lock.stats.lost).toBe(lost + 1);
	});

	test('L5: When nobody took over a lease that has ended, then its late release counts as lost too', async () => {
		const lock = await open({ ttl: 20 });
		const place = newPlace();
		const { lost } = lock.stats;
		const late = await lock.acquire(place);
		await until(async () => (await lock.inspect(place)).holder === null);
		expect(late?.remaining()).toBeLessThanOrEqual(0);
		expect(await late?.release()).toBe(false);
		expect(lock.stats.lost).toBe(lost + 1);
	});

	test('L5: When less is left of a lease than is needed, then it is lost: the next in line gets it at once', async () => {
		const lock = await open({ ttl: 5000 });
		const place = newPlace();
		const { lost } = lock.stats;
		const lease = await lock.acquire(place);
		expect(lease?.lasts(1000)).toBe(true);
		const waiting = lock.acquire(place);
		expect(lease?.lasts(6000)).toBe(false);
		const next = await waiting;
		expect(next).toBeDefined();
		expect(lease?.lasts(1)).toBe(false);
		await lease?.release();
		expect(lock.stats.lost).toBe(lost + 1);
		expect(await next?.release()).toBe(true);
		expect(lock.stats).toMatchObject({ lost: lost + 1, ttl: 5000 });
	});

	test('L5: When leases were held, then it is known for how long', async () => {
		const lock = await open();
		const before = lock.stats.held.count;
		const { wall } = await timed(
			(async () => {
				const lease = await lock.acquire(newPlace());
				await new Promise((resolve) => setTimeout(resolve, 30));
				await lease?.release();
				await lease?.release();
			})(),
		);
		expect(lock.stats.held.count).toBe(before + 1);
		expect(lock.stats.held.report().max).toBeGreaterThanOrEqual(29);
		expect(lock.stats.held.report().max).toBeLessThanOrEqual(wall + 1);
	});

	test('When a lease is released twice, then the next holder keeps the lock', async () => {
		const lock = await open();
		const place = newPlace();
		const lease = await lock.acquire(place);
		const waiting = lock.acquire(place);
		expect(await lease?.release()).toBe(true);
		const next = await waiting;
		expect(await lease?.release()).toBe(true);
		expect((await lock.inspect(place)).holder).not.toBeNull();
		expect(await next?.release()).toBe(true);
		expect(lock.stats.lost).toBe(0);
	});

	test('When the lock is closed, then those who wait go on without it, and so do later ones', async () => {
		const lock = await open();
		const place = newPlace();
		await lock.acquire(place);
		const waiting = lock.acquire(place);
		await untilWaiting(lock, place, 1);
		await lock.close();
		expect(await waiting).toBeUndefined();
		expect(await lock.acquire(place)).toBeUndefined();
		expect(lock.stats.lockFree).toEqual({ timeout: 0, unavailable: 2 });
	});
}
