import { expect, test } from '@jest/globals';
import { describeForms } from '../service-world.ts';
import { EngineWorld } from './engine-world.ts';

const HOUR = 3_600_000; // ms
const AN_HOUR_AHEAD = { ms: HOUR };
const AN_HOUR_BEHIND = { ms: -HOUR };

describeForms("the queues' time", (openWorld) => {
	async function open(...skews: { ms: number }[]) {
		const world = await EngineWorld.open(await openWorld());
		const { clock } = world.world;
		const times = await Promise.all(skews.map(async (skew) => (await world.storeOf(skew)).time));
		/** The time goes on, and all of them keep it. */
		const pass = async (ms: number) => {
			clock.advance(ms);
			for (const time of times) await time.keep();
		};
		return { world, clock, times, pass, now: () => times.map((time) => time.now()) };
	}

	test('X4: When clocks differ by hours, then all have one time', async () => {
		const { clock, pass, now } = await open({ ms: 0 }, AN_HOUR_AHEAD, AN_HOUR_BEHIND);
		const begin = clock.now();
		expect(now()).toEqual([begin, begin, begin]);
		for (let second = 0; second < 10; second++) await pass(1_000);
		await pass(0);
		expect(new Set(now()).size).toBe(1);
	});

	test('X4: When a clock jumps, then the time does not', async () => {
		const skew = { ms: 0 };
		const { clock, pass, now, times } = await open(skew, { ms: 0 });
		for (let second = 0; second < 5; second++) await pass(1_000);
		for (const ms of [HOUR, -HOUR, 0]) {
			skew.ms = ms;
			await pass(1_000);
			expect(now()).toEqual([clock.now(), clock.now()]);
			const moment = times[0]!.now();
			expect(times[0]!.toWall(moment)).toBe(clock.now() + ms);
			expect(times[0]!.fromWall(clock.now() + ms)).toBe(moment);
		}
	});

	test('X4: When a process comes to others that are ahead, then it has their time, and they keep theirs', async () => {
		const { world, clock, pass, now } = await open(AN_HOUR_AHEAD);
		for (let second = 0; second < 4; second++) await pass(1_000);
		expect(now()).toEqual([clock.now() + HOUR]); // it was alone, and had nothing but its clock
		const { time } = await world.storeOf({ ms: 0 });
		for (let second = 0; second < 5; second++) {
			expect(time.now()).toBe(clock.now() + HOUR);
			await pass(1_000);
			await time.keep();
		}
		expect(now()).toEqual([time.now()]);
	});

	test('When all were stopped for an hour, then that hour has passed; where clocks were put right meanwhile, none goes back', async () => {
		const { world, clock, pass } = await open({ ms: 0 });
		for (let second = 0; second < 4; second++) await pass(1_000);
		clock.advance(HOUR);
		const { time } = await world.storeOf({ ms: 0 });
		await time.keep(true);
		expect(time.now()).toBe(clock.now());
		const { time: later } = await world.storeOf(AN_HOUR_BEHIND);
		await later.keep(true);
		expect(later.now()).toBe(clock.now());
	});
});
