import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Redis } from 'ioredis';
import { type Bucket, levelOf } from '../../shared/limiter/bucket.ts';
import { LocalBuckets } from '../../shared/limiter/local-buckets.ts';
import {
	LIMITER_SCRIPTS,
	LimiterKeys,
	type LimiterRedis,
	takeArguments,
} from '../../shared/limiter/redis-rate-limiter.ts';
import type { LuaScript } from '../../shared/redis/redis-link.ts';
import { describeWithRedis, RedisServer } from '../lock/redis-server.ts';
import { TestClock } from './test-clock.ts';

/** More with `LIMITER_FUZZ_RUNS=5000`. */
const RUNS = Number(process.env.LIMITER_FUZZ_RUNS ?? 200);
const EPOCH = 1_800_000_000_000;

/**
 * The script as it is, before it a `redis` whose clock the test sets. Keys stay until they are overwritten, for they
 * would expire by the real clock.
 */
const WITH_TEST_CLOCK = `
local real = redis
local redis = { call = function(command, ...)
	if command == 'TIME' then
		local ms = tonumber(real.call('GET', 'test:now'))
		return { math.floor(ms / 1000), ms % 1000 * 1000 }
	end
	local arguments = { ... }
	if command == 'SET' then
		assert(arguments[4] >= 1 and arguments[4] % 1 == 0)
		return real.call('SET', arguments[1], arguments[2])
	end
	return real.call(command, ...)
end }
`;

interface Step {
	/** ms since the step before; a plan that changes comes with it */
	pause: number;
	tokens: number;
	buckets: Bucket[];
	/** Tokens that the first bucket is charged afterwards; 0: it is not */
	charge: number;
}

const bucket = (name: string) =>
	fc.record({
		owner: fc.constant('acc'),
		name: fc.constant(name),
		size: fc.integer({ min: 1, max: 8 }),
		interval: fc.integer({ min: 1, max: 400_000 }),
		debt: fc.constantFrom(0, 0, 3, 30),
	});
const steps = fc.array(
	fc.record<Step>({
		pause: fc.oneof(fc.constant(0), fc.nat({ max: 300 }), fc.nat({ max: 5_000 })),
		tokens: fc.constantFrom(1, 1, 1, 0),
		buckets: fc.oneof(fc.tuple(bucket('requests')), fc.tuple(bucket('requests'), bucket('bookings'))),
		charge: fc.constantFrom(0, 0, 1, 5, 40),
	}),
	{ maxLength: 60, size: 'max' },
);

describeWithRedis('the script of the limiter', () => {
	const keys = new LimiterKeys('test');
	let server: RedisServer;
	let redis: LimiterRedis;
	beforeAll(async () => {
		server = await RedisServer.start();
		const withClock = ({ lua, numberOfKeys }: LuaScript) => ({ lua: WITH_TEST_CLOCK + lua, numberOfKeys });
		const scripts = { take: withClock(LIMITER_SCRIPTS.take), charge: withClock(LIMITER_SCRIPTS.charge) };
		redis = new Redis(server.url, { scripts }) as LimiterRedis;
	});
	afterAll(async () => {
		redis.disconnect();
		await server.stop();
	});

	test('When it and its twin in the process get the same story, then they answer the same, step by step', async () => {
		await fc.assert(
			fc.asyncProperty(steps, async (story) => {
				await redis.flushall();
				const clock = new TestClock(EPOCH);
				const twin = new LocalBuckets(clock);
				for (const { pause, tokens, buckets, charge } of story) {
					clock.pass(pause);
					await redis.set('test:now', clock.now());
					const answer = await redis.take(...takeArguments(keys, buckets, tokens, () => 0));
					const levels = buckets.map((each, index) => levelOf(each, ...answer[index]!));
					expect(levels).toEqual(twin.take(buckets, tokens));
					if (charge === 0) continue;
					const { size, interval, debt } = buckets[0]!;
					await redis.charge(keys.of(buckets[0]!), charge, size, interval, 0, debt);
					twin.charge(buckets[0]!, charge);
				}
			}),
			{ numRuns: RUNS },
		);
	});

	const one = { owner: 'acc', name: 'requests', size: 4, interval: 250_000, debt: 0 };
	async function take(ms: number, known = 0, tokens = 1) {
		await redis.set('test:now', ms);
		const [answer] = await redis.take(...takeArguments(keys, [one], tokens, () => known));
		return levelOf(one, ...answer!);
	}

	test('R2: When the clock of Redis is set back an hour, then the bucket goes on as it was', async () => {
		await redis.flushall();
		await take(EPOCH + 3_600_000);
		expect(await take(EPOCH)).toMatchObject({ wait: 0, remaining: 2 });
		expect(await take(EPOCH + 250)).toMatchObject({ wait: 0, remaining: 2 });
	});

	test('When a caller knows of tokens that Redis has not heard of, then they are gone, also where it is refused', async () => {
		await redis.flushall();
		expect(await take(EPOCH, 750_000)).toMatchObject({ wait: 0, remaining: 0 });
		await redis.flushall();
		expect(await take(EPOCH, 1_000_000)).toMatchObject({ wait: 250, remaining: 0 });
		expect(await take(EPOCH)).toMatchObject({ wait: 250, remaining: 0 });
		expect(await take(EPOCH + 500, 0, 0)).toMatchObject({ remaining: 2 });
	});
});
