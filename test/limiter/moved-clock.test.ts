import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { describeWithRedis } from '../lock/redis-server.ts';
import { MovedClock, whyNoMovedClock } from '../support/moved-clock.ts';
import { until } from '../support/until.ts';
import { drain, Limiters, newBucket, takes } from './limiters.ts';

const HOUR = 3_600_000; // ms
const missing = whyNoMovedClock();
const suite = missing === undefined ? describeWithRedis : describe.skip;

suite(`X4: the limiter when the clock of Redis jumps${missing ? ` (skipped: ${missing})` : ''}`, () => {
	let clock: MovedClock;
	let limiters: Limiters;
	beforeAll(async () => {
		clock = new MovedClock();
		limiters = await Limiters.start(clock.env);
	});
	afterEach(() => {
		limiters.closeAll();
		clock.move(0);
	});
	afterAll(async () => {
		await limiters?.stop();
		clock?.remove();
	});

	test.each([-HOUR, HOUR])(
		'X4: When it jumps by %d ms, then an empty bucket gives its rate, and nobody owes what was never taken',
		async (jump) => {
			const limiter = await limiters.open();
			const bucket = { ...newBucket(4, 4), debt: 2_000 };
			await drain(limiter, bucket);
			clock.move(jump);
			await until(() => takes(limiter, bucket), { what: 'a token' });
			const [{ wait } = { wait: 0 }] = await limiter.take([bucket]);
			expect(wait).toBeLessThanOrEqual(1_000);
		},
	);

	test('X4: When it was set back an hour, then what something turned out to cost is owed, and no more', async () => {
		const limiter = await limiters.open();
		const bucket = { ...newBucket(4, 4), debt: 2_000 };
		await drain(limiter, bucket);
		clock.move(-HOUR);
		await limiter.charge(bucket, 4);
		await until(() => takes(limiter, bucket), { what: 'a token' });
	});
});
