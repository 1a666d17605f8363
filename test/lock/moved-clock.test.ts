import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { MovedClock, whyNoMovedClock } from '../support/moved-clock.ts';
import { Locks, untilWaiting } from './locks.ts';
import { describeWithRedis } from './redis-server.ts';

const HOUR = 3_600_000; // ms
const TTL = 2_000;
/** ms of any lease */
const LONGEST = 10_000;
/** ms; whoever waits until then waits for a clock */
const PATIENCE = 60_000;
const missing = whyNoMovedClock();
const suite = missing === undefined ? describeWithRedis : describe.skip;

suite(`X4: the lock when the clock of Redis jumps${missing ? ` (skipped: ${missing})` : ''}`, () => {
	let clock: MovedClock;
	let locks: Locks;
	beforeAll(async () => {
		clock = new MovedClock();
		locks = await Locks.start(clock.env);
	});
	afterEach(async () => {
		await locks.closeAll();
		clock.move(0);
	});
	afterAll(async () => {
		await locks?.stop();
		clock?.remove();
	});

	test.each([-HOUR, HOUR])(
		'X4: When it jumps by %d ms while a place is held by one that died, then the next one has it within 10 s',
		async (jump) => {
			const [dead, next] = [await locks.open({ ttl: TTL }), await locks.open({ ttl: LONGEST, maxWait: PATIENCE })];
			const place = locks.place();
			expect(await dead.acquire(place)).toBeDefined();
			clock.move(jump);
			const lease = await next.acquire(place);
			expect(lease).toBeDefined();
			expect(lease!.remaining()).toBeLessThanOrEqual(LONGEST);
			expect(await lease!.release()).toBe(true);
		},
	);

	test.each([
		[-HOUR, LONGEST], // the message that hands the place over is of an earlier time than the line
		[HOUR, TTL], // the line is lost, and joined anew when the lease would have ended
	])(
		'X4: When it jumps by %d ms while others stand in line, then each has the place before it gives up',
		async (jump, ttl) => {
			const [first, ...others] = await Promise.all([1, 2, 3].map(() => locks.open({ ttl, maxWait: 8_000 })));
			const place = locks.place();
			const held = await first!.acquire(place);
			const waiting: Promise<unknown>[] = [];
			for (const lock of others) {
				const turn = lock.acquire(place).then((lease) => lease?.release());
				waiting.push(turn);
				await untilWaiting(first!, place, waiting.length);
			}
			clock.move(jump);
			await held!.release();
			expect(await Promise.all(waiting)).toEqual(others.map(() => true));
			expect(await first!.inspect(place)).toEqual({ holder: null, waiting: 0, ttl: 0 });
		},
	);

	test('X4: When it was set back while a place is held, then an operator is not shown an hour', async () => {
		const lock = await locks.open({ ttl: TTL });
		const place = locks.place();
		const lease = await lock.acquire(place);
		clock.move(-HOUR);
		expect((await lock.inspect(place)).ttl).toBeLessThanOrEqual(LONGEST);
		expect(await lease!.release()).toBe(true);
	});
});
