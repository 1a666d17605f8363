import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type Bucket, bucketOf, type RateLimiter } from '../../shared/limiter/bucket.ts';
import { localRateLimiter } from '../../shared/limiter/open-rate-limiter.ts';
import { describeWithRedis } from '../lock/redis-server.ts';
import { until } from '../support/until.ts';
import { drain, Limiters, newBucket, takes } from './limiters.ts';
import { TestClock } from './test-clock.ts';
import { type Attempt, assertBounded } from './windows.ts';

/** A limiter's world: as many gateways as were asked for, and a clock that both the test and the buckets live by. */
interface World {
	gateways: RateLimiter[];
	/** ms of a clock that never jumps */
	now(): number;
	pass(ms: number): Promise<void>;
	/** Rounds of a property; the real clock costs real time. */
	runs: number;
}

describe('the limiter in one process', () => {
	conformance(async () => {
		const clock = new TestClock();
		const pass = async (ms: number) => clock.pass(ms);
		return { gateways: [localRateLimiter(clock)], now: clock.monotonic, pass, runs: 300 };
	});
});

describeWithRedis('the limiter in Redis', () => {
	let limiters: Limiters;
	beforeAll(async () => {
		limiters = await Limiters.start();
	});
	afterEach(() => limiters.closeAll());
	afterAll(() => limiters.stop());

	conformance(async (gateways = 1) => ({
		gateways: await Promise.all(Array.from({ length: gateways }, () => limiters.open())),
		now: () => performance.now(),
		pass: (ms) => pause(ms),
		runs: 12,
	}));

	test('When buckets are full again, then Redis has no key of them', async () => {
		const gateway = await limiters.open();
		const bucket = newBucket(5, 2);
		await drain(gateway, bucket);
		const key = `test:limit:{${bucket.owner}}:requests`;
		expect(await limiters.redis.admin.pttl(key)).toBeGreaterThan(0);
		expect(await limiters.redis.admin.pttl(key)).toBeLessThanOrEqual(2_500);
		await until(async () => (await limiters.redis.admin.keys(`test:limit:{${bucket.owner}}*`)).length === 0);
	});

	test('When tokens are taken from several buckets, then it is one round trip, and nothing else', async () => {
		const gateway = await limiters.open();
		const [one, other] = pair();
		await gateway.take([one, other]);
		await limiters.redis.forgetCalls();
		for (let i = 0; i < 10; i++) await gateway.take([one, other]);
		expect(await limiters.redis.calls()).toBe(10);
		const stats = await limiters.redis.admin.info('commandstats');
		const sent = [...stats.matchAll(/^cmdstat_([a-z|]+):/gm)].map(([, command]) => command);
		expect(sent.sort()).toEqual(['config|resetstat', 'evalsha', 'get', 'info', 'set', 'time'].sort());
	});

	test('R2: When a node is an hour off, then its answers go by the clock of Redis', async () => {
		const clock = { now: () => Date.now() + 3_600_000, monotonic: () => performance.now() + 3_600_000 };
		const [skewed, right] = [await limiters.open({ clock }), await limiters.open()];
		const bucket = newBucket(10, 5);
		const [here] = await skewed.take([bucket]);
		const [there] = await right.take([bucket]);
		expect(here!.remaining).toBe(9);
		expect(there!.remaining).toBe(8);
		expect(there!.fullAt - here!.fullAt).toBe(200);
		expect(Math.abs(here!.fullAt - Date.now())).toBeLessThan(600_000);
	});
});

/** A bucket of 6, and one of 3 that the same owner has beside it. */
function pair() {
	const large = newBucket(6, 0.02);
	return [large, { ...large, name: 'bookings', size: 3 }] as const;
}

function conformance(open: (gateways?: number) => Promise<World>): void {
	test('When a bucket was never used, then it is full, and each token taken is one less', async () => {
		const { gateways, now } = await open();
		const [gateway] = gateways as [RateLimiter];
		const before = { ...gateway.stats };
		const bucket = newBucket(3, 0.02);
		expect(await gateway.look([bucket])).toMatchObject([{ wait: 0, remaining: 3 }]);
		const from = now();
		for (const remaining of [2, 1, 0]) {
			expect(await gateway.take([bucket])).toMatchObject([{ wait: 0, remaining }]);
		}
		const [refused] = await gateway.take([bucket]);
		expect(refused!.remaining).toBe(0);
		expect(refused!.wait).toBeGreaterThan(0);
		expect(refused!.wait).toBeLessThanOrEqual(50_000);
		expect(refused!.wait).toBeGreaterThanOrEqual(50_000 - (now() - from) - 1);
		const { taken, refused: refusals } = before;
		expect(gateway.stats).toEqual({ ...before, taken: taken + 3, refused: refusals + 1, degraded: false });
	});

	test('When somebody only looks, then nothing is taken, and an empty bucket shows when it is full', async () => {
		const { gateways, now } = await open();
		const [gateway] = gateways as [RateLimiter];
		const bucket = newBucket(4, 0.02);
		const from = now();
		const [first] = await gateway.take([bucket]);
		await drain(gateway, bucket);
		for (let i = 0; i < 20; i++) {
			const [level] = await gateway.look([bucket]);
			expect(level).toMatchObject({ wait: 0, remaining: 0 });
			expect(level!.fullAt - first!.fullAt).toBeGreaterThanOrEqual(150_000);
			expect(level!.fullAt - first!.fullAt).toBeLessThanOrEqual(150_000 + (now() - from));
		}
	});

	test('R3, R4: When one is refused a hundred times, then after the wait that it was told one passes', async () => {
		const { gateways, pass } = await open();
		const [gateway] = gateways as [RateLimiter];
		const bucket = newBucket(2, 4);
		await drain(gateway, bucket);
		let wait = 0;
		for (let refused = 0; refused < 100; ) {
			const [level] = await gateway.take([bucket]);
			wait = level!.wait;
			if (wait === 0) continue; // it came back meanwhile
			expect(level!.remaining).toBe(0);
			refused++;
		}
		await pass(wait);
		expect(await takes(gateway, bucket)).toBe(true);
	});

	test('R4: When one of several buckets is empty, then nothing is taken from the others', async () => {
		const { gateways } = await open();
		const [gateway] = gateways as [RateLimiter];
		const [large, small] = pair();
		for (let i = 0; i < 3; i++) expect(await takes(gateway, large, small)).toBe(true);
		for (let i = 0; i < 5; i++) {
			const [first, second] = await gateway.take([large, small]);
			expect(first).toMatchObject({ wait: 0, remaining: 3 });
			expect(second!.wait).toBeGreaterThan(0);
		}
		for (let i = 0; i < 3; i++) expect(await takes(gateway, large)).toBe(true);
		const both = await gateway.take([large, small]);
		expect(both.map(({ wait }) => wait > 0)).toEqual([true, true]);
	});

	test('When a plan is changed, then the bucket keeps how long it takes to be full, and is never emptier than empty', async () => {
		const { gateways } = await open();
		const [gateway] = gateways as [RateLimiter];
		const bucket = newBucket(10, 0.02);
		const { owner, name } = bucket;
		for (let i = 0; i < 10; i++) await takes(gateway, bucket);
		const [raised] = await gateway.look([bucketOf(owner, name, 0.04, 30)]);
		expect(raised!.remaining).toBeGreaterThanOrEqual(10);
		expect(raised!.remaining).toBeLessThan(15);
		const [lowered] = await gateway.take([bucketOf(owner, name, 0.02, 2)]);
		expect(lowered!.wait).toBeLessThanOrEqual(50_000);
		expect(lowered!.wait).toBeGreaterThan(0);
		const [again] = await gateway.look([bucketOf(owner, name, 0.02, 30)]);
		expect(again!.remaining).toBeGreaterThanOrEqual(28); // not 20, as if it still owed what the small one had not
	});

	test('R1: When requests come at random, then no window lets more pass than burst + rate × T + 1', async () => {
		const world = await open(3);
		await fc.assert(
			fc.asyncProperty(
				fc.integer({ min: 1, max: 20 }),
				fc.integer({ min: 20, max: 400 }),
				fc.array(fc.tuple(fc.nat({ max: 15 }), fc.integer({ min: 1, max: 12 })), { maxLength: 15, size: 'max' }),
				async (burst, rate, story) => {
					const bucket = newBucket(burst, rate);
					const attempts: Attempt[] = [];
					for (const [ms, count] of story) {
						await world.pass(ms);
						for (let i = 0; i < count; i++) attempts.push(await attempt(world, i, bucket));
					}
					assertBounded(attempts, burst, rate);
				},
			),
			{ numRuns: world.runs },
		);
	});

	test('R1: When somebody asks all the time, then at least 0.95 of burst + rate × T pass', async () => {
		const world = await open(3);
		await fc.assert(
			fc.asyncProperty(
				fc.integer({ min: 9, max: 20 }),
				fc.integer({ min: 20, max: 400 }),
				fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 5, maxLength: 20 }),
				async (burst, rate, story) => {
					const bucket = newBucket(burst, rate);
					const attempts = [await attempt(world, 0, bucket)];
					for (const ms of [...story, 0]) {
						do attempts.push(await attempt(world, attempts.length, bucket));
						while (attempts.at(-1)!.passed);
						await world.pass(ms);
					}
					fc.pre(asksAllTheTime(attempts, burst, rate));
					const seconds = (attempts.at(-1)!.from - attempts[0]!.to) / 1000;
					const passed = attempts.filter((each) => each.passed).length;
					expect(passed).toBeGreaterThanOrEqual(Math.floor(0.95 * (burst + rate * Math.max(seconds, 0))));
					assertBounded(attempts, burst, rate);
				},
			),
			{ numRuns: world.runs },
		);
	});
}

/** Whether the bucket was never full again, as it is where the machine lets nobody ask for a while. */
function asksAllTheTime(attempts: readonly Attempt[], burst: number, rate: number): boolean {
	let most = burst - 1; // tokens that there may be behind an attempt
	return attempts.every(({ to, passed }, i) => {
		if (i === 0) return true;
		most += (rate * (to - attempts[i - 1]!.from)) / 1000;
		const isFull = most >= burst;
		most = passed ? most - 1 : 1;
		return !isFull;
	});
}

async function attempt(world: World, turn: number, bucket: Bucket): Promise<Attempt> {
	const gateway = world.gateways[turn % world.gateways.length]!;
	const from = world.now();
	const passed = await takes(gateway, bucket);
	return { from, to: world.now(), passed };
}
