import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, jest, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { describeWithRedis } from '../lock/redis-server.ts';
import { timed } from '../lock/timed.ts';
import { bound } from '../support/bound.ts';
import { until } from '../support/until.ts';
import { drain, Limiters, newBucket, takes, untilRedisAnswers } from './limiters.ts';

describeWithRedis('the limiter when Redis fails', () => {
	let limiters: Limiters;
	beforeAll(async () => {
		limiters = await Limiters.start();
	});
	afterEach(() => limiters.closeAll());
	afterAll(() => limiters.stop());

	test('R5: When Redis is killed, then each gateway limits on its own, says so once, and is back within 2 s of its return', async () => {
		const [onDegraded, onRestored] = [jest.fn(), jest.fn()];
		const [one, other] = [await limiters.open({ onDegraded, onRestored }), await limiters.open()];
		onDegraded.mockClear();
		onRestored.mockClear();
		await limiters.redis.kill();
		await until(() => one.stats.degraded && other.stats.degraded);
		const bucket = newBucket(10, 0.01);
		expect([await drain(one, bucket), await drain(other, bucket)]).toEqual([10, 10]);
		expect(one.stats.alone).toBeGreaterThanOrEqual(11);
		expect(onDegraded).toHaveBeenCalledTimes(1);

		await limiters.redis.restart();
		const back = await timed(until(() => !one.stats.degraded && !other.stats.degraded));
		expect(back.ms).toBeLessThan(bound(2_000));
		expect(onRestored).toHaveBeenCalledTimes(1);
		const { alone } = one.stats;
		await one.take([newBucket(1, 1)]);
		expect(one.stats.alone).toBe(alone);
	});

	test('R5: When Redis is there but silent for 3 s, then it costs 60 ms once, and it is back within 2 s', async () => {
		const limiter = await limiters.open({ answerWithin: 50 });
		await untilRedisAnswers(limiter);
		await limiters.redis.suspend();
		const firsts = await timed(Promise.all([1, 2, 3].map(() => limiter.take([newBucket(10, 1)]))));
		expect(firsts.ms).toBeLessThan(bound(100));
		expect(limiter.stats.degraded).toBe(true);
		const bucket = newBucket(5, 0.01);
		const taken: number[] = [];
		let longest = 0;
		const start = performance.now();
		while (performance.now() - start < 3_000) {
			const { result, ms } = await timed(takes(limiter, bucket));
			if (result) taken.push(ms); // the others need not ask: it knows that the bucket is empty
			longest = Math.max(longest, ms);
			await pause(5);
		}
		expect(taken).toHaveLength(5);
		taken.sort((a, b) => a - b);
		expect(taken[taken.length >> 1]).toBeLessThan(25); // whoever asks Redis waits for 50
		expect(longest).toBeLessThan(bound(25));
		limiters.redis.resume();
		const back = await timed(until(() => !limiter.stats.degraded));
		expect(back.ms).toBeLessThan(bound(2_000));
	});

	test('R5: When an answer or two are late, then these requests are decided alone, and no others', async () => {
		const onDegraded = jest.fn();
		const limiter = await limiters.open({ answerWithin: 50, onDegraded });
		await untilRedisAnswers(limiter);
		onDegraded.mockClear();
		const { alone } = limiter.stats;
		await limiters.redis.suspend();
		expect(await Promise.all([1, 2].map(() => takes(limiter, newBucket(10, 1))))).toEqual([true, true]);
		limiters.redis.resume();
		expect(limiter.stats.alone).toBe(alone + 2);
		await untilRedisAnswers(limiter);
		expect(onDegraded).not.toHaveBeenCalled();
	});

	test('R5: When Redis is lost and comes back empty, then a bucket that was empty stays empty, here and there', async () => {
		const limiter = await limiters.open();
		const bucket = newBucket(10, 0.01);
		expect(await drain(limiter, bucket)).toBe(10);
		await limiters.redis.kill();
		await until(() => limiter.stats.degraded);
		expect(await drain(limiter, bucket)).toBe(0);
		await limiters.redis.restart();
		await until(() => !limiter.stats.degraded);
		expect(await drain(limiter, bucket)).toBe(0);
		expect(limiter.stats.alone).toBeGreaterThan(0);
		// Redis knows now, and tells a gateway that was not there.
		expect(await drain(await limiters.open(), bucket)).toBe(0);
	});

	test('R5: When tokens were taken while Redis was lost, then they are missing there when it is back', async () => {
		const limiter = await limiters.open();
		const bucket = newBucket(10, 0.01);
		for (let i = 0; i < 2; i++) await takes(limiter, bucket);
		await limiters.redis.kill();
		await until(() => limiter.stats.degraded);
		for (let i = 0; i < 3; i++) await takes(limiter, bucket);
		await limiters.redis.restart();
		await until(() => !limiter.stats.degraded);
		expect(await drain(limiter, bucket)).toBe(5);
	});

	test('R1: When Redis is flushed, then a bucket is full once, and limits go on', async () => {
		const limiter = await limiters.open();
		const bucket = newBucket(10, 0.01);
		await drain(limiter, bucket);
		await limiters.redis.admin.flushall();
		expect(await drain(limiter, bucket)).toBe(10);
		expect(limiter.stats.degraded).toBe(false);
	});

	test('R5: When Redis takes no writes, then it counts as lost until it does', async () => {
		const limiter = await limiters.open();
		const { admin } = limiters.redis;
		await admin.replicaof('127.0.0.1', 1); // a replica is read-only
		const bucket = newBucket(3, 0.01);
		expect(await drain(limiter, bucket)).toBe(3);
		expect(limiter.stats.degraded).toBe(true);
		await pause(700); // some probes
		expect(limiter.stats.degraded).toBe(true);
		await admin.replicaof('NO', 'ONE');
		await until(() => !limiter.stats.degraded);
		expect(await drain(limiter, bucket)).toBe(0);
	});

	test('When a script is unknown to Redis, then it is sent again, and no decision is made alone', async () => {
		const limiter = await limiters.open();
		const { alone } = limiter.stats;
		const admin = new Redis(limiters.redis.url);
		await admin.script('FLUSH');
		expect(await drain(limiter, newBucket(3, 0.01))).toBe(3);
		expect(limiter.stats.alone).toBe(alone);
		admin.disconnect();
	});
});
